// Package api is the back office's HTTP API: POST /api/admin/codigo and POST /api/admin/registro for
// who becomes an administrator; POST /api/admin/datos/contar, /api/admin/datos/borrar and /api/admin/boletin/bajas for
// administrators, who send their ID token. All are JSON. It knows
// nothing of what it passes on, keeps no cookies and answers nobody else's page (no CORS).
package api
