# syntax=docker/dockerfile:1
FROM oven/bun:1.4.5-slim AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts

FROM oven/bun:1.4.5-slim AS web
WORKDIR /app
COPY package.json bun.lock bunfig.toml tsconfig.json ./
RUN bun install --frozen-lockfile --ignore-scripts
COPY src ./src
# What the console is built from is no part of the image.
RUN bun src/dev/web/build.ts && rm -rf src/dev src/client src/web

FROM oven/bun:1.4.5-slim
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
