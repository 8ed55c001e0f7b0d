package route

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
)

// Call is a request to a route.
type Call struct {
	// Caller has sent the request. It is of Project, and has the route's permission.
	Caller  token.Caller
	Project string
	// Vars are the variables of the path, and Query those of the query.
	Vars  map[string]string
	Query url.Values
	// Host is the host name to which the request was sent, and Origin the origin.
	Host, Origin string
	// Body is the body, of JSON, and Stream the body of a route whose Stream is set.
	Body   []byte
	Stream io.Reader
}

// By names the caller in releases.
func (c *Call) By() string {
	if c.Caller.Service != "" {
		return c.Caller.Service
	}
	return "an administrator"
}

// unknownField finds the name in the error of package json for a field that a message does not have.
var unknownField = pattern.New(`^json: unknown field "(.*)"$`)

// Decode decodes the body into a message. It returns InvalidArgument, as Google's APIs do, for other JSON, and for
// fields that the message does not have. No body is an empty message.
func (c *Call) Decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(c.Body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("text after the message")
		}
	} else if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return nil
	}
	if name := unknownField.FindStringSubmatch(err.Error()); name != nil {
		return fault.Wrap(err, fault.InvalidArgument, "Invalid JSON payload received. Unknown name %q: Cannot find field.", name[1])
	}
	return fault.Wrap(err, fault.InvalidArgument, "Invalid JSON payload received. %v", err)
}

// Seconds returns the number of seconds in a Duration of JSON, such as "1.5s". It reports false for another text.
func Seconds(text string) (float64, bool) {
	number, ok := strings.CutSuffix(text, "s")
	n, err := strconv.ParseFloat(number, 64)
	return n, ok && err == nil
}

// maxPage is the maximum number of elements of a page.
const maxPage = 1000

// Page returns the page of a list that the query asks for, and the token of the next one, empty at the end. size is the
// number of elements of a page if the query names none.
func Page[T any](c *Call, all []T, size int) (page []T, next string, err error) {
	if text := c.Query.Get("pageSize"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, "", fault.E(fault.InvalidArgument, "Invalid value at 'page_size' (TYPE_INT32), %q", text)
		}
		if n > 0 {
			size = n
		}
	}
	size = min(size, maxPage)
	from := 0
	if text := c.Query.Get("pageToken"); text != "" {
		from, err = strconv.Atoi(text)
		if err != nil || from < 0 || from > len(all) {
			return nil, "", fault.E(fault.InvalidArgument, "Invalid page token.")
		}
	}
	end := min(from+size, len(all))
	if end < len(all) {
		next = strconv.Itoa(end)
	}
	return all[from:end], next, nil
}
