# Two stages: what is needed to build stays in the first. The steps are in deploy/image, where the tests run them too.
FROM python:3.12-slim AS build
WORKDIR /src
# First what changes rarely: the dependencies are built once for each lock.
COPY deploy/image deploy/image
COPY requirements requirements
RUN deploy/image dependencies /opt/spotter
COPY . .
RUN deploy/image wheel /out
RUN deploy/image package /opt/spotter /out
RUN deploy/image check /opt/spotter

FROM python:3.12-slim
# Numbers, so that platforms which forbid root can tell that this is not.
RUN groupadd --gid 10001 spotter && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data spotter \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /opt/spotter /opt/spotter
ENV PATH=/opt/spotter/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    SPOTTER_ENVIRONMENT=production \
    SPOTTER_DATA_DIR=/data \
    SPOTTER_HOST=0.0.0.0 \
    SPOTTER_LOG_FORMAT=json \
    PORT=8080
USER 10001:10001
# Only with the embedded database is there anything to keep here. With DATABASE_URL nothing is.
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=40s --retries=3 \
    CMD ["python", "-I", "-c", "import os, urllib.request as u; u.urlopen(f\"http://127.0.0.1:{os.environ['PORT']}/api/health\", timeout=4)"]
ENTRYPOINT ["spotter"]
CMD ["serve"]
