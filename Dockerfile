# What the images are built from. A digest names exactly one image; a tag may be another tomorrow.
# To take a newer one:
#   docker pull swift:6.3-bookworm
#   docker image inspect --format '{{index .RepoDigests 0}}' swift:6.3-bookworm
#   docker build --build-arg SWIFT_IMAGE=swift@sha256:… .
ARG SWIFT_IMAGE=swift:6.3-bookworm@sha256:7060a792f4cd9eaa0d00826d941cec00ab8d252d33b8b28bc8e105f51f2dba73
ARG DEBIAN_IMAGE=debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171

# Builds the program with Swift's own libraries inside, so that what runs it needs none of them.
FROM ${SWIFT_IMAGE} AS builder
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    pkg-config libcurl4-openssl-dev libssl-dev libsqlite3-dev libpq-dev libyaml-dev libsimdjson-dev \
    libglib2.0-dev libjemalloc-dev zlib1g-dev libbrotli-dev libzstd-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY Package.swift ./
COPY Sources Sources
# The manifest names the test targets, so their folders must be there.
COPY Tests Tests
RUN swift build -c release --product catraca \
  && install -D -s "$(swift build -c release --show-bin-path)/catraca" /out/catraca

FROM ${DEBIAN_IMAGE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates libbrotli1 libcurl4 libglib2.0-0 libjemalloc2 libpq5 libsimdjson14 libsqlite3-0 \
    libssl3 libyaml-0-2 libzstd1 tzdata zlib1g \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --user-group --uid 10001 --no-create-home --home-dir /var/lib/catraca \
    --shell /usr/sbin/nologin catraca \
  && install -d -o catraca -g catraca -m 0700 /var/lib/catraca
COPY --from=builder /out/catraca /usr/local/bin/catraca
COPY config /etc/catraca
# Nobody reaches the loopback address of a container from outside, and its other addresses only
# where their ports are published. Other containers, such as Prometheus, call it catraca, and
# read its metrics without a token.
RUN sed -i -e 's/"127\.0\.0\.1:/"0.0.0.0:/' \
  -e 's/^admin:.*/&\n  allow_plain_http: true\n  hosts: [catraca]\n  metrics: open/' \
  /etc/catraca/catraca.yaml

USER catraca
# The ledger's path counts from here.
WORKDIR /var/lib/catraca
VOLUME /var/lib/catraca
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
# Asks by bash alone, to keep other programs out of the image.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s CMD ["bash", "-c", "\
exec 3<>/dev/tcp/127.0.0.1/8080 \
&& printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 \
&& read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["catraca"]
CMD ["serve", "--config", "/etc/catraca"]
