package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"clave/server/internal/base/fault"
)

// maxPopulated is the maximum size of a response that names the files to upload, in bytes.
const maxPopulated = 4 << 20

// redirectUploads replaces the server's URL for uploads in a response, so that the CLI, which has no token, sends the
// contents of files by the proxy too.
func (p *Proxy) redirectUploads(res *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(res.Body, maxPopulated+1))
	if err != nil {
		return err
	}
	if len(text) > maxPopulated {
		return fault.E(fault.ResourceExhausted, "the response has more than %d bytes", maxPopulated)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	var at string
	if err := json.Unmarshal(fields["uploadUrl"], &at); err != nil {
		return err
	}
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	if fields["uploadUrl"], err = json.Marshal(p.URL() + "/" + partAdmin + u.EscapedPath()); err != nil {
		return err
	}
	if text, err = json.Marshal(fields); err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	res.ContentLength = int64(len(text))
	res.Header.Set("Content-Length", strconv.Itoa(len(text)))
	res.Header.Del("Content-Encoding")
	return nil
}
