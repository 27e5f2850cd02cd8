import type { Failure, paths } from '../../client/src/generated/openapi.ts'

type Success = 200 | 201 | 202

/** The JSON body that an operation takes, if the request is to succeed; a test of a refusal may send anything. */
export type RequestBody<Method extends string, Path extends string, Status> = Status extends Success
  ? OperationOf<Method, Path> extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Body
    : unknown
  : unknown

/**
 * The body that an operation answers with a status, by the documents. Where the status is not known before the test
 * runs, it has the fields of success and those of a failure; where the path isn't either, those of a failure.
 */
export type AnswerBody<Method extends string, Path extends string, Status> = Path extends `/api/v01/${string}`
  ? number extends Status
    ? SuccessOf<OperationOf<Method, Path>, Success> &
        Pick<Failure, 'code' | 'message' | 'errors' | 'retry_after'>
    : Status extends Success
      ? SuccessOf<OperationOf<Method, Path>, Status>
      : Failure
  : string extends Path
    ? Partial<Failure>
    : // biome-ignore lint/suspicious/noExplicitAny: pages and the older addresses, which clients have no types for
      any

type SuccessOf<Operation, Status extends Success> = Operation extends { responses: infer Responses }
  ? Readable<
      {
        [Each in keyof Responses & Status]: Responses[Each] extends {
          content: { 'application/json': infer Body }
        }
          ? Body
          : string
      }[keyof Responses & Status]
    >
  : unknown

/** One of several forms of an answer, in which fields that only other forms have are undefined. */
type Readable<Form, Forms = Form> = Form extends unknown
  ? Form & { [Each in Exclude<Forms extends unknown ? keyof Forms : never, keyof Form>]?: undefined }
  : never

type OperationOf<Method extends string, Path extends string> = {
  [Each in MatchOf<WithoutQuery<Path>>]: paths[Each] extends { [M in Lowercase<Method>]: infer Operation }
    ? Operation
    : never
}[MatchOf<WithoutQuery<Path>>]

/** The documented path that a path is one of. */
type MatchOf<Path extends string> = Path extends keyof paths
  ? Path
  : { [Each in keyof paths]: Segments<Path> extends Segments<Filled<Each>> ? Each : never }[keyof paths]

type WithoutQuery<Path extends string> = Path extends `${infer Bare}?${string}` ? Bare : Path

/** A path with any text in place of its parameters. */
type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path

type Segments<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? [First, ...Segments<Rest>]
  : [Path]
