package pages

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// leastCompressed is the size from which a page is compressed, as in frontend/scripts/build.mjs.
const leastCompressed = 512

// compressed returns a body in the encoding that the client accepts, and sets the headers for it. Clave's hosting
// forwards the responses of services unchanged.
func compressed(w http.ResponseWriter, r *http.Request, body []byte) []byte {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) < leastCompressed || !acceptsGzip(r.Header.Get("Accept-Encoding")) {
		return body
	}
	var out bytes.Buffer
	zw := gzip.NewWriter(&out)
	_, _ = zw.Write(body) // a buffer does not fail
	_ = zw.Close()
	w.Header().Set("Content-Encoding", "gzip")
	return out.Bytes()
}

// acceptsGzip reports whether an Accept-Encoding header names gzip without refusing it.
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight := strings.ReplaceAll(parameters, " ", "")
			return weight != "q=0" && !strings.HasPrefix(weight, "q=0.0")
		}
	}
	return false
}
