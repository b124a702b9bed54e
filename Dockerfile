# The service: `tvlb serve` with a worker, or `tvlb worker` alone. See docs/deployment.md.
FROM python:3.11-slim-bookworm AS build

# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/tvlb
ENV PATH=/opt/tvlb/bin:$PATH

COPY requirements.txt requirements-service.txt /src/
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes \
    -r /src/requirements-service.txt

COPY pyproject.toml CMakeLists.txt README.md LICENSE /src/
COPY tvlb /src/tvlb
COPY sim_bridge /src/sim_bridge
COPY api /src/api
# The build has an environment of its own, with the versions that are pinned for developers.
RUN sed -n 's/^\([[:alnum:]._-]*==[^ ]*\) .*/\1/p' /src/requirements.txt > /src/constraints.txt \
    && PIP_CONSTRAINT=/src/constraints.txt pip install --no-cache-dir --no-deps /src \
    && pip uninstall --yes pip setuptools \
    && find /opt/tvlb -depth -type d \( -name tests -o -name test \) -path "*/site-packages/*" \
        ! -path "*/numpy/*" -exec rm -rf {} +

FROM python:3.11-slim-bookworm

RUN useradd --uid 10001 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin tvlb \
    && install -d -o tvlb -g tvlb /data
COPY --from=build /opt/tvlb /opt/tvlb

ENV PATH=/opt/tvlb/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TVLB_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 \
    CMD ["tvlb", "health"]
ENTRYPOINT ["tvlb"]
CMD ["serve", "--host", "0.0.0.0"]
