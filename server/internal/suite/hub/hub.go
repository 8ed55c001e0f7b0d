package hub

import (
	"context"
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// Options configures a hub.
type Options struct {
	// Version is the version of the Firebase CLI whose hub is emulated.
	Version string
	// PID is the process's id.
	PID int
	// Emulators lists the running emulators, including the hub itself.
	Emulators Emulators
	// Export writes the data of the named emulators, or of all if none is named, to a folder; by is the client.
	Export func(ctx context.Context, dir, by string, only []string) error
	// Triggers enables or disables background functions for future commits. It is nil without a functions emulator.
	Triggers func(ctx context.Context, enabled bool) error
}

// Emulators are the emulators that run; those that do not are nil.
type Emulators struct {
	Hub       *Emulator `json:"hub,omitempty"`
	Auth      *Emulator `json:"auth,omitempty"`
	Firestore *Emulator `json:"firestore,omitempty"`
	Hosting   *Emulator `json:"hosting,omitempty"`
	UI        *Emulator `json:"ui,omitempty"`
	// Storage is the port that refuses requests for Cloud Storage.
	Storage *Emulator `json:"storage,omitempty"`
}

// Emulator is the address of an emulator.
type Emulator struct {
	Listen        []Listen `json:"listen"`
	Name          string   `json:"name"`
	Host          string   `json:"host"`
	Port          int      `json:"port"`
	PID           int      `json:"pid,omitempty"`
	ReservedPorts []int    `json:"reservedPorts,omitempty"`
	WebSocketHost string   `json:"webSocketHost,omitempty"`
	WebSocketPort int      `json:"webSocketPort,omitempty"`
}

// Listen is an address that an emulator listens on.
type Listen struct {
	Address string `json:"address"`
	Family  string `json:"family"`
	Port    int    `json:"port"`
}

// At returns an emulator that listens on an address, host:port with the host as a number; nil for none. The result has
// a host that clients can reach, even if the address is unspecified (0.0.0.0).
func At(name, address string) *Emulator {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil
	}
	ip, family := at.Addr(), "IPv4"
	host := ip
	if ip.Is6() {
		family = "IPv6"
	}
	switch {
	case ip == netip.IPv6Unspecified():
		host = netip.IPv6Loopback()
	case ip.IsUnspecified():
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	port := int(at.Port())
	return &Emulator{Name: name, Host: host.String(), Port: port, Listen: []Listen{{ip.String(), family, port}}}
}

// hub serves requests.
type hub struct{ o Options }

// New returns the handler of the hub's port:
//
//	GET  /                                      the addresses of the hub
//	GET  /emulators                             the running emulators with their addresses
//	POST /_admin/export {"path", "initiatedBy", "targets"}   writes an export to a folder of this machine
//	PUT  /functions/disableBackgroundTriggers   keeps commits from background functions; 400 without a functions emulator
//	PUT  /functions/enableBackgroundTriggers    reverses that
//	POST /dataconnect/clearData                 400: there is no such emulator
func New(o Options) http.Handler {
	h := &hub{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.locate)
	mux.HandleFunc("GET /emulators", func(w http.ResponseWriter, _ *http.Request) { httpjson.WriteIndented(w, http.StatusOK, o.Emulators) })
	mux.HandleFunc("POST /_admin/export", h.export)
	mux.HandleFunc("PUT /functions/disableBackgroundTriggers", h.triggers(false))
	mux.HandleFunc("PUT /functions/enableBackgroundTriggers", h.triggers(true))
	mux.HandleFunc("POST /dataconnect/clearData", func(w http.ResponseWriter, _ *http.Request) { absent(w, "SQL Connect") })
	return mux
}

// absent responds to a request for an emulator that does not run.
func absent(w http.ResponseWriter, name string) {
	httpjson.WriteIndented(w, http.StatusBadRequest, map[string]string{"error": "The " + name + " emulator is not running."})
}

// triggers returns the handler that enables or disables background functions.
func (h *hub) triggers(enabled bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.o.Triggers == nil {
			absent(w, "Cloud Functions")
			return
		}
		if err := h.o.Triggers(r.Context(), enabled); err != nil {
			httpjson.WriteIndented(w, http.StatusInternalServerError, message(fault.FromError(err).Message))
			return
		}
		httpjson.WriteIndented(w, http.StatusOK, map[string]bool{"enabled": enabled})
	}
}

// locate responds with the hub's address.
func (h *hub) locate(w http.ResponseWriter, _ *http.Request) {
	at := h.o.Emulators.Hub
	httpjson.WriteIndented(w, http.StatusOK, struct {
		Locator
		Host string `json:"host"`
		Port int    `json:"port"`
	}{h.o.Locator(), at.Host, at.Port})
}

// maxExportBody is the maximum size of a request for an export, in bytes.
const maxExportBody = 64 << 10

// export writes an export to a folder of this machine, which pages must not: browsers send their Origin, their forms
// can't send JSON, and under a name of their own for this machine (DNS rebinding) they are distinguished from local
// callers.
func (h *hub) export(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" || !h.isOwnHost(r.Host) {
		httpjson.WriteIndented(w, http.StatusForbidden, message("Export cannot be triggered by external callers."))
		return
	}
	var in struct {
		Path        string   `json:"path"`
		InitiatedBy string   `json:"initiatedBy"`
		Targets     []string `json:"targets"`
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxExportBody)).Decode(&in)
	if kind != "application/json" || err != nil || in.Path == "" {
		httpjson.WriteIndented(w, http.StatusBadRequest, message(`The body must be JSON: {"path": "FOLDER", "initiatedBy": "…"}.`))
		return
	}
	only, ok := h.dataEmulators(in.Targets)
	if !ok {
		httpjson.WriteIndented(w, http.StatusInternalServerError, message("No running emulators support import/export."))
		return
	}
	if err := h.o.Export(r.Context(), in.Path, in.InitiatedBy, only); err != nil {
		httpjson.WriteIndented(w, http.StatusInternalServerError, message(fault.FromError(err).Message))
		return
	}
	httpjson.WriteIndented(w, http.StatusOK, message("OK"))
}

// dataEmulators returns those of the named emulators that run and keep data, or all such emulators if none is named.
func (h *hub) dataEmulators(targets []string) ([]string, bool) {
	var only []string
	for _, e := range []*Emulator{h.o.Emulators.Firestore, h.o.Emulators.Auth} {
		if e != nil && (targets == nil || slices.Contains(targets, e.Name)) {
			only = append(only, e.Name)
		}
	}
	return only, len(only) > 0
}

// isOwnHost reports whether a Host header is one by which a local caller reaches the hub. If the hub listens for other
// machines too, any name is valid.
func (h *hub) isOwnHost(host string) bool {
	if ip, err := netip.ParseAddr(h.o.Emulators.Hub.Listen[0].Address); err != nil || !ip.IsLoopback() {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// message is the body of a response with a message.
func message(text string) map[string]string { return map[string]string{"message": text} }
