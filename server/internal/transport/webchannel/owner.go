package webchannel

import (
	"net/http"
	"strings"

	"clave/server/internal/base/randid"
)

// Which node a request belongs to, if several nodes serve sessions. The id of a session begins with the name of its
// owner (Options.Owner) and ownerEnd, which no id without a name contains.

// ownerEnd ends the name of the owner in the id of a session.
const ownerEnd = "."

// sessionID returns a new id of a session, which cannot be guessed.
func (h *Handler) sessionID() string {
	id := randid.Secret(16)
	if h.o.Owner == "" {
		return id
	}
	return h.o.Owner + ownerEnd + id
}

// pathPrefix and pathSuffix enclose the stream's name in the path of a request.
const (
	pathPrefix = "/google.firestore.v1.Firestore/"
	pathSuffix = "/channel"
)

// IsRequest reports whether a request has the path of a stream over WebChannel.
func IsRequest(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, pathPrefix) && strings.HasSuffix(r.URL.Path, pathSuffix)
}

// SessionOwner returns the name of the owner in the id of a request's session; empty if there is none.
func SessionOwner(r *http.Request) string {
	owner, _, named := strings.Cut(r.URL.Query().Get("SID"), ownerEnd)
	if !named {
		return ""
	}
	return owner
}

// BeginsListen reports whether a request begins a Listen session.
func BeginsListen(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == pathPrefix+"Listen"+pathSuffix && r.URL.Query().Get("SID") == ""
}

// UnknownSession responds to a request of a session that does not exist. The client then begins a new session.
func UnknownSession(w http.ResponseWriter, r *http.Request) {
	// The client sends this when it closes, and ignores the response. An unknown session is therefore not an error.
	if r.URL.Query().Get("TYPE") == "terminate" {
		writeHeader(w)
		return
	}
	unknownSession(w)
}
