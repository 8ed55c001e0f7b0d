// Package api is the back office's HTTP API: POST /api/admin/codigo and POST /api/admin/registro register
// administrators. The paths below /api/admin/datos, /api/admin/boletin and /api/admin/imagenes are for administrators,
// who send their ID token. Requests are JSON, except uploads of pictures, and so are responses. It sets
// no cookies and does not serve pages of other origins (no CORS).
package api
