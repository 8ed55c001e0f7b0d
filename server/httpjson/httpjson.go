// Package httpjson writes JSON responses.
package httpjson

import (
	"encoding/json"
	"net/http"
)

// Write sends a value as JSON with a status. The response may not be cached unless its Cache-Control header is set already. A value that
// is not JSON is an error of the program and is sent as status 500 without text.
func Write(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	send(w, status, text, err)
}

// WriteIndented is Write with line breaks, for people and for tools that show the text.
func WriteIndented(w http.ResponseWriter, status int, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	send(w, status, text, err)
}

// send sends a value's JSON, or status 500 if there is none.
func send(w http.ResponseWriter, status int, text []byte, err error) {
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"UNKNOWN"}}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // It fails only when the client has disconnected.
}
