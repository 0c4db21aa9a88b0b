# syntax=docker/dockerfile:1
# To pin it: --build-arg BASE=oven/bun:1.4.5-slim@sha256:… (docs/operate/deploy.md).
ARG BASE=oven/bun:1.4.5-slim
FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts
# What runs needs neither source maps nor typings.
RUN find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.tsbuildinfo' ')' -delete

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
COPY package.json tsconfig.json LICENSE README.md ./
# What an agent reads (OAUTH=on).
COPY docs/agents.md docs/clients.md docs/rules.md docs/extend.md ./docs/
COPY docs/rules ./docs/rules
COPY migrations ./migrations
COPY sql ./sql
COPY --from=web /app/src ./src
COPY --from=web /app/dist ./dist
RUN install -d -o bun -g bun /var/lib/service
# The user bun, as a number: Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 3000
# Before each deployment: the same image with the command `bun src/migrate.ts`.
HEALTHCHECK --interval=10s --timeout=4s --start-period=10s --retries=3 \
  CMD ["bun", "-e", "const h = process.env.HOST || '::'; const at = ['::', '0.0.0.0'].includes(h) ? '127.0.0.1' : h.includes(':') ? `[${h}]` : h; process.exit((await fetch(`http://${at}:${process.env.PORT || 3000}/api/health/live`)).ok ? 0 : 1)"]
CMD ["bun", "src/server.ts"]
# Last, because each build has others: --build-arg VERSION=1.0.0 --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=
ARG REVISION=
ENV SERVICE_REVISION=${REVISION}
LABEL org.opencontainers.image.title="multi-organization-service" \
  org.opencontainers.image.version=${VERSION} \
  org.opencontainers.image.revision=${REVISION} \
  org.opencontainers.image.licenses="MIT"
