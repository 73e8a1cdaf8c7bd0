# syntax=docker/dockerfile:1
# The freshcontext server in a small image without a shell.
#
#   docker run -i --rm IMAGE stdio                          # MCP over stdin and stdout
#   docker run --rm -p 127.0.0.1:8787:8787 \
#     -e FRESHCONTEXT_HTTP_TOKEN=... IMAGE                  # MCP over HTTP at /mcp
#
# The health check queries the HTTP service; use `docker run --no-healthcheck` for stdio, which has no HTTP service.
# Inside a container the service must listen on all addresses, so it refuses to start without a token.

# The base images are named by version, not by digest. A digest is only available from the images' registry, differs per
# architecture, and keeps old vulnerabilities if it is not renewed. The publisher of an image pins them in one step, and
# stores the resulting Dockerfile with the published image:
#
#   for image in rust:1.95-slim-trixie gcr.io/distroless/cc-debian13:nonroot; do
#     digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}') || exit 1
#     sed -i "s|^FROM $image\\( .*\\)\\{0,1\\}\$|FROM $image@$digest\\1|" Dockerfile
#   done
FROM rust:1.95-slim-trixie AS base
# Uses the image's own toolchain, whatever rust-toolchain.toml requests.
ENV RUSTUP_TOOLCHAIN=1.95.0 CARGO_TERM_COLOR=never
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/* \
 && cargo install cargo-chef --locked --version ^0.1
WORKDIR /build

FROM base AS plan
COPY . .
RUN cargo chef prepare --recipe-path recipe.json

FROM base AS build
# Dependencies first: this layer is reused as long as Cargo.lock is unchanged.
COPY --from=plan /build/recipe.json recipe.json
RUN cargo chef cook --release --package freshcontext --recipe-path recipe.json
COPY . .
RUN cargo build --release --locked --package freshcontext --bin freshcontext \
 && mkdir -p /out/data \
 && cp target/release/freshcontext /out/freshcontext

FROM gcr.io/distroless/cc-debian13:nonroot
LABEL io.modelcontextprotocol.server.name="io.github.freshcontext/freshcontext" \
      org.opencontainers.image.title="FreshContext" \
      org.opencontainers.image.description="Public sources with the age of every item, and a judge of context you already have." \
      org.opencontainers.image.source="https://github.com/freshcontext/freshcontext" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /out/freshcontext /usr/local/bin/freshcontext
COPY --from=build --chown=nonroot:nonroot /out/data /data
ENV FRESHCONTEXT_DATA_DIR=/data \
    FRESHCONTEXT_HTTP_ADDR=0.0.0.0:8787
USER nonroot
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 \
  CMD ["/usr/local/bin/freshcontext", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/freshcontext"]
CMD ["http"]
