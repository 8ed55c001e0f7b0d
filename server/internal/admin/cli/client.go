package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/accountkey"
	"clave/server/internal/httpx/httpjson"
)

// maxAnswer is the maximum size of the answer to a call, in bytes.
const maxAnswer = 16 << 20

// Client calls the administration APIs of a server.
type Client struct {
	// URL is the URL of the administration APIs.
	URL    string
	Tokens *accountkey.Tokens
	HTTP   *http.Client
}

// Call sends a message to a path by POST, and decodes the answer. An error of the server has its code and text.
func (c *Client) Call(ctx context.Context, path string, in, out any) error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" {
		return fault.E(fault.InvalidArgument, "%q is not the URL of a server, such as https://data.example.org:4001", c.URL)
	}
	if err := accountkey.Secure(u); err != nil {
		return err
	}
	token, err := c.Tokens.Get(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(u.String(), "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := c.HTTP.Do(r)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "cannot reach the administration APIs: %v", err)
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s has not answered completely: %v", u.Host, err)
	}
	if res.StatusCode != http.StatusOK {
		why := cmp.Or(httpjson.ErrorText(text), "the answer is "+res.Status)
		return fault.E(fault.FailedPrecondition, "%s refuses: %s", u.Host, why)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("decode the answer of %s: %w", u.Host, err)
	}
	return nil
}
