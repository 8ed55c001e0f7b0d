// Package api is the back office's HTTP API: POST /api/admin/codigo and POST /api/admin/registro for
// who becomes an administrator; POST /api/admin/datos/contar, /api/admin/datos/borrar and /api/admin/boletin/bajas for
// administrators, who send their ID token. All are JSON. It keeps
// no cookies and answers no pages of other origins (no CORS).
package api
