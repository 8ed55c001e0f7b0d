// Package httpjson writes JSON responses, and reads the errors of such.
package httpjson

import (
	"encoding/json"
	"net/http"
)

// Write sends a value as JSON with a status. The response must not be cached unless its Cache-Control header is already
// set. A value that can't be encoded is a bug and causes status 500 without a body.
func Write(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	send(w, status, text, err)
}

// WriteIndented is Write with line breaks, for people and for tools that show the text.
func WriteIndented(w http.ResponseWriter, status int, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	send(w, status, text, err)
}

// WriteError sends an error in the form of Google's APIs: its HTTP status, the name of its code, and its text.
func WriteError(w http.ResponseWriter, status int, code, text string) {
	Write(w, status, map[string]any{"error": map[string]any{"code": status, "message": text, "status": code}})
}

// WriteEncoded is Write for a value that is encoded already.
func WriteEncoded(w http.ResponseWriter, status int, text []byte) { send(w, status, text, nil) }

// send sends the encoded value, or status 500 if it can't be encoded.
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

// ErrorText returns the text of an error response of Google's APIs, also that of a method that streams, which is a
// list. It is empty for responses of another form.
func ErrorText(response []byte) string {
	type body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	var one body
	if json.Unmarshal(response, &one) != nil {
		var list []body
		if json.Unmarshal(response, &list) == nil && len(list) > 0 {
			one = list[0]
		}
	}
	return one.Error.Message
}
