export function leastCommonMultiple(one: bigint, other: bigint): bigint {
  return (one / greatestCommonDivisor(one, other)) * other
}

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
  let [larger, smaller] = [one, other]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
