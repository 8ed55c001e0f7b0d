// Package api is the back office's HTTP API: POST /api/admin/codigo and POST /api/admin/registro, in JSON. It knows
// nothing of what it passes on, keeps no cookies and answers nobody else's page (no CORS).
package api
