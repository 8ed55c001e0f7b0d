package console

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/console/session"
)

// The limits of exports.
const (
	// exportLife is the time in which the file of an export must be requested, and for which its result is kept.
	exportLife = time.Minute
	// maxExports is the maximum number of exports, and maxExporting that of files being sent.
	maxExports, maxExporting = 64, 4
	// exportBuffer is the size of the parts of a file, and exportWriteLimit the time limit for the client to receive one.
	exportBuffer     = 64 << 10
	exportWriteLimit = 5 * time.Minute
)

// export is a file of documents or accounts to be sent once.
type export struct {
	of *session.Session
	// name and mediaType are those of the file, and write writes it.
	name, mediaType string
	write           func(ctx context.Context, in *call, e *export, to io.Writer) error
	// written is the number of documents or accounts that have been written, and columns that of documents that have been
	// read for the names of columns.
	written, columns atomic.Int64

	// until, cancel, state and err are guarded by exports.mu. until is when the export is removed; zero while the
	// file is being sent. cancel ends the sending.
	until  time.Time
	cancel context.CancelFunc
	state  string // waiting, sending, done or failed
	err    error
}

// exports holds the exports. It is safe for concurrent use.
type exports struct {
	mu      sync.Mutex
	list    map[string]*export // guarded by mu
	sending int                // guarded by mu
}

// exportPath is the path below which the token of an export is.
const exportPath = apiPrefix + "export/"

// ShownPath returns the path of a request for logs, without the token of an export, which is a secret.
func ShownPath(path string) string {
	if strings.HasPrefix(path, exportPath) {
		return exportPath + "…"
	}
	return path
}

// add stores an export until it is requested and returns its token. It removes expired ones.
func (x *exports) add(e *export, now time.Time) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.list == nil {
		x.list = make(map[string]*export)
	}
	for token, one := range x.list {
		if !one.until.IsZero() && now.After(one.until) {
			delete(x.list, token)
		}
	}
	if len(x.list) >= maxExports {
		return "", fault.E(fault.ResourceExhausted, "There are %d exports already.", maxExports)
	}
	token := randid.Secret(24)
	e.state, e.until = "waiting", now.Add(exportLife)
	x.list[token] = e
	return token, nil
}

// begin marks an export as being sent, which can happen once.
func (x *exports) begin(token string, of *session.Session, now time.Time, cancel context.CancelFunc) (*export, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.list[token]
	switch {
	case e == nil || e.of != of || e.state != "waiting" || now.After(e.until):
		return nil, errNoExport
	case x.sending >= maxExporting:
		return nil, fault.E(fault.ResourceExhausted, "%d exports are being sent already.", maxExporting)
	}
	x.sending++
	e.state, e.until, e.cancel = "sending", time.Time{}, cancel
	return e, nil
}

// end stores the result of an export for its progress.
func (x *exports) end(e *export, err error, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sending--
	e.state, e.err, e.until = "done", err, now.Add(exportLife)
	if err != nil {
		e.state = "failed"
	}
}

// progress returns the state of a session's export, and its error.
func (x *exports) progress(token string, of *session.Session) (e *export, state string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e = x.list[token]; e == nil || e.of != of {
		return nil, "", errNoExport
	}
	return e, e.state, e.err
}

// stop ends a session's export.
func (x *exports) stop(token string, of *session.Session) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.list[token]
	if e == nil || e.of != of {
		return errNoExport
	}
	if e.cancel != nil {
		e.cancel()
	}
	if e.state == "waiting" {
		delete(x.list, token)
	}
	return nil
}

// errNoExport is the error for an export that is unknown, was requested already or has expired.
var errNoExport = fault.E(fault.NotFound, "There is no such export, or it was requested already or is too old.")
