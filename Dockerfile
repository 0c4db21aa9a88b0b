# syntax=docker/dockerfile:1
# To pin it: --build-arg BASE=oven/bun:1.4.5-slim@sha256:… (docs/operate.md, "Deploy").
ARG BASE=oven/bun:1.4.5-slim
FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts

FROM ${BASE} AS web
WORKDIR /app
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile --ignore-scripts
COPY LICENSE ./
COPY src ./src
COPY sql ./sql
# The console and the package of the typed client; what they are built from is no part of the image.
RUN bun src/dev/web/build.ts && bun src/dev/client/build.ts && rm -rf dist/client src/dev src/client src/web

FROM ${BASE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json tsconfig.json ./
COPY migrations ./migrations
COPY sql ./sql
COPY --from=web /app/src ./src
COPY --from=web /app/dist ./dist
RUN install -d -o bun -g bun /var/lib/service
USER bun
EXPOSE 3000
# Before each deployment: the same image with the command `bun src/migrate.ts`.
HEALTHCHECK --interval=10s --timeout=4s --start-period=10s --retries=3 \
  CMD ["bun", "-e", "const r = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/api/health/live`); process.exit(r.ok ? 0 : 1)"]
CMD ["bun", "src/server.ts"]
