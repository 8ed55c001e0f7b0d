package admin

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/admin/route"
	"clave/server/internal/admin/transcode"
	"clave/server/internal/base/fault"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/wire"
)

// Calls of gRPC (grpc.io/docs, PROTOCOL-HTTP2) arrive as requests over HTTP/2. All methods are unary, and the messages
// are small, so a call is a request with one message, and needs none of the streams of a server for gRPC: its caller is
// identified before its message is read, and the port bounds it as other requests.

// maxMessage is the maximum size of the message of a call, in bytes. The largest that clients need are of a bulk delete
// and of the configuration of a field.
const maxMessage = 1 << 20

// frameHeader is the number of bytes before a message: whether it is compressed, and its length.
const frameHeader = 5

// isCall reports whether a request is a call of gRPC.
func isCall(r *http.Request) bool {
	return r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// serveCall answers a call of gRPC.
func (s *Server) serveCall(w http.ResponseWriter, r *http.Request) {
	message, err := s.call(r)
	if err != nil {
		s.log(r.URL.Path, err)
		writeStatus(w, wire.StatusProto(err))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/grpc")
	h.Set(http.TrailerPrefix+"Grpc-Status", "0")
	frame := make([]byte, frameHeader, frameHeader+len(message))
	binary.BigEndian.PutUint32(frame[1:], uint32(len(message)))
	_, _ = w.Write(append(frame, message...)) // an error is that the client is gone
}

// call calls the route of a call, and returns the message of its response.
func (s *Server) call(r *http.Request) ([]byte, error) {
	_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	m := transcode.Methods()[r.URL.Path]
	var found *route.Route
	if m != nil {
		found = s.named(m.Name)
	}
	if found == nil {
		return nil, fault.E(fault.Unimplemented, "This server does not have the method %s.", name)
	}
	if r.Method != http.MethodPost {
		return nil, fault.E(fault.Internal, "A call of gRPC is a request with the method POST.")
	}
	c := &route.Call{Project: s.o.Project, Host: hostOf(r)}
	target := name
	out, err := s.serve(r, found, c, &target, func() (*parse.Share, error) { return s.receive(r, m, found, c, &target) })
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	message, err := m.Response(text)
	if err != nil {
		return nil, fmt.Errorf("the response of %s is no message of it: %w", found.Name, err)
	}
	return message, nil
}

// named returns the route of a method of gRPC, or nil.
func (s *Server) named(method string) *route.Route {
	for i := range s.o.Routes {
		r := &s.o.Routes[i]
		service, name, _ := cutLast(r.Name)
		if name == method && (service == "firestore.admin" || service == "longrunning" || service == "locations") {
			return r
		}
	}
	return nil
}

// cutLast cuts a text at its last dot. found is false if it has none, and before is empty then.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+1:], true
}

// receive reads the message of a call of a route, and sets what its request over HTTP has. It returns the memory that
// the message takes.
func (s *Server) receive(r *http.Request, m *transcode.Method, found *route.Route, c *route.Call, target *string) (*parse.Share, error) {
	message, err := readMessage(r.Body, r.Header.Get("Grpc-Encoding"))
	if err != nil {
		return nil, err
	}
	share, err := s.admit(r, len(message), memoryOfMessage*int64(len(message)))
	if err != nil {
		return nil, err
	}
	if err = s.translate(message, m, found, c, target); err != nil {
		share.Release()
		return nil, err
	}
	return share, nil
}

// translate sets what the request of a message has over HTTP.
func (s *Server) translate(message []byte, m *transcode.Method, found *route.Route, c *route.Call, target *string) error {
	q, err := m.Request(message)
	if err != nil {
		return err
	}
	vars, ok := found.Match(q.Path)
	if !ok || q.Method != found.Method {
		return fault.E(fault.Unimplemented, "This server does not have the method %s of %s.", m.Name, q.Path)
	}
	c.Vars, c.Query, c.Body, c.Project = vars, q.Query, q.Body, vars["project"]
	*target = q.Method + " " + q.Path
	if c.Project != s.o.Project {
		return denied(fault.Denied())
	}
	return checkValues(c.Body)
}

// readMessage reads the only message of a call.
func readMessage(body io.Reader, encoding string) ([]byte, error) {
	errEarly := func(err error) error { return unread(err, "The message of the call ended early.") }
	var head [frameHeader]byte
	if _, err := io.ReadFull(body, head[:]); err != nil {
		return nil, errEarly(err)
	}
	if head[0] != 0 || encoding != "" && encoding != "identity" {
		return nil, fault.E(fault.Unimplemented, "The administration APIs do not support compressed messages.")
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxMessage {
		return nil, fault.E(fault.ResourceExhausted, "grpc: received message larger than max (%d vs. %d)", n, maxMessage)
	}
	message, err := io.ReadAll(io.LimitReader(body, int64(n)))
	if err == nil && len(message) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, errEarly(err)
	}
	if _, err := io.ReadFull(body, head[:1]); !errors.Is(err, io.EOF) {
		return nil, fault.Wrap(err, fault.InvalidArgument, "The call has more than one message.")
	}
	return message, nil
}

// writeStatus answers a call with an error. The status is in trailers, as that of a call that succeeds: a node that
// forwards the response adds trailers of its own, after which clients do not look for a status in the headers.
func writeStatus(w http.ResponseWriter, st *spb.Status) {
	h := w.Header()
	h.Set("Content-Type", "application/grpc")
	h.Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(int(st.GetCode())))
	h.Set(http.TrailerPrefix+"Grpc-Message", percentEncode(st.GetMessage()))
	if len(st.GetDetails()) > 0 {
		if all, err := proto.Marshal(st); err == nil {
			h.Set(http.TrailerPrefix+"Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(all))
		}
	}
	w.WriteHeader(http.StatusOK)
}

// maxStatusText is the maximum size of the text of a status, in bytes before its encoding, because clients limit the
// headers of a response.
const maxStatusText = 2 << 10

// percentEncode encodes the text of a status, as a header has it.
func percentEncode(text string) string {
	var b strings.Builder
	for i := range min(len(text), maxStatusText) {
		if c := text[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
