# Two small images: clave and backoffice, both with the built site (docker build --target backoffice).
#
# The base images are named by tags, not by digests: a digest that was not read from the registry and built with would
# be a guess, and it would keep an image without later repairs. To fix one, append what this prints to its name:
#   docker buildx imagetools inspect --format '@{{.Manifest.Digest}}' golang:1.26-bookworm
FROM node:22-bookworm-slim AS site
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY frontend ./
# The site's project and address. The defaults are those of the demo.
ARG VITE_FIREBASE_PROJECT_ID
ARG VITE_SITIO_URL
ARG VITE_ACCESO_GOOGLE
RUN npm run build

# The console's pages, which are part of the program clave.
FROM node:22-bookworm-slim AS console
WORKDIR /src/server/internal/console/web
COPY server/internal/console/web/package.json server/internal/console/web/package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY server/internal/console/web ./
RUN npm run build

FROM golang:1.26-bookworm AS server
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY server ./server
COPY --from=console /src/server/internal/console/dist/app ./server/internal/console/dist/app
# The output of clave version.
ARG VERSION=unknown
ARG COMMIT
ARG DATE
# Without the tag nodynamic, backoffice needs the C library, which its image does not have.
RUN CGO_ENABLED=0 go build -trimpath -tags nodynamic -ldflags="-s -w -X main.version=$VERSION -X main.commit=$COMMIT -X main.date=$DATE" -o / ./server/cmd/clave ./server/cmd/backoffice
# Volumes are created with the owner of these folders, the image's user, which is not root.
RUN mkdir -m 0700 /data /backups /keys

FROM gcr.io/distroless/static-debian12:nonroot AS backoffice
WORKDIR /srv
COPY --from=server --chown=nonroot:nonroot /keys /keys
COPY --from=server /backoffice /usr/local/bin/backoffice
COPY --from=site /src/frontend/dist ./frontend/dist
COPY emulator-config ./emulator-config
EXPOSE 8085
ENTRYPOINT ["/usr/local/bin/backoffice"]

FROM gcr.io/distroless/static-debian12:nonroot AS clave
WORKDIR /srv
COPY --from=server --chown=nonroot:nonroot /data /data
COPY --from=server --chown=nonroot:nonroot /keys /keys
COPY --from=server --chown=nonroot:nonroot /backups /backups
COPY --from=server /clave /usr/local/bin/clave
COPY --from=site /src/frontend/dist ./frontend/dist
COPY firebase.json firestore.rules firestore.indexes.json .firebaserc ./
VOLUME /data
EXPOSE 4000 5000 8080 9099 9150 80 443
# The demo's site port; docker-compose.yml has production's.
HEALTHCHECK --interval=30s --timeout=6s --start-period=20s CMD ["/usr/local/bin/clave", "health", "http://127.0.0.1:5000"]
ENTRYPOINT ["/usr/local/bin/clave"]
CMD ["start", "--host", "0.0.0.0", "--data", "/data"]
