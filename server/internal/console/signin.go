package console

import (
	"embed"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/httpx/httpjson"
)

// SignInPath is the path of the page on the site's origin that signs a browser in as a user, below the paths that a
// site leaves to Firebase Hosting. In development the site's port serves it by SignIn.
const SignInPath = "/__/firebase/clave/sign-in"

// signInFiles holds the page and its script.
//
//go:embed signin
var signInFiles embed.FS

// signInPolicy is the content security policy of the page.
const signInPolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// The time for which a browser may take a sign-in, and the maximum number of sign-ins that wait.
const (
	signInLife = time.Minute
	maxSignIns = 64
)

// signIn is a signed-in user with tokens.
type signIn struct {
	User   userinfo.Info  `json:"user"`
	Tokens service.Tokens `json:"tokens"`
	until  time.Time
}

// signIns holds the sign-ins that wait for a browser, by their codes. It is safe for concurrent use.
type signIns struct {
	mu   sync.Mutex
	list map[string]*signIn // guarded by mu
}

// keep keeps a sign-in and returns its code.
func (s *signIns) keep(one *signIn, now time.Time) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = make(map[string]*signIn)
	}
	for code, old := range s.list {
		if now.After(old.until) {
			delete(s.list, code)
		}
	}
	if len(s.list) >= maxSignIns {
		return "", fault.E(fault.ResourceExhausted, "Too many sign-ins wait for a browser. Try again in a minute.")
	}
	code := randid.Secret(32)
	s.list[code] = one
	return code, nil
}

// take removes and returns the sign-in of a code, or nil.
func (s *signIns) take(code string, now time.Time) *signIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.list[code]
	delete(s.list, code)
	if one == nil || now.After(one.until) {
		return nil
	}
	return one
}

// signInBody names an account.
type signInBody struct {
	databaseBody
	LocalID  string `json:"localId"`
	TenantID string `json:"tenantId"`
}

// signInAs signs in as the account that a request names, by a custom token without a signature, which only development
// accepts. The sign-in is recorded in the audit log. It returns NotFound if there is no such account, and creates none.
func (c *Console) signInAs(in *call) (*signIn, error) {
	var body signInBody
	if err := in.decode(&body); err != nil {
		return nil, err
	}
	about := in.account(body.Project, body.TenantID)
	found, err := c.o.Accounts.Lookup(in.Context(), about, &service.LookupRequest{LocalID: []string{body.LocalID}})
	if err != nil {
		return nil, err
	}
	if len(found.Users) == 0 {
		return nil, fault.E(fault.NotFound, "There is no account %q.", body.LocalID)
	}
	custom, err := unsigned(body.LocalID, body.TenantID)
	if err != nil {
		return nil, err
	}
	ended, err := in.caller(about.Project).Change(func() token.Change {
		return token.Change{Method: "sign in as", Targets: []string{"account " + body.LocalID}, Count: 1}
	})
	if err != nil {
		return nil, err
	}
	out, err := c.o.Accounts.SignInWithCustomToken(in.Context(), about, &service.CustomRequest{Token: &custom})
	ended(err)
	if err != nil {
		return nil, err
	}
	return &signIn{User: found.Users[0], Tokens: out.Tokens}, nil
}

// unsigned returns a custom token in the unsigned form that the emulator accepts. Production refuses it.
func unsigned(uid, tenant string) (string, error) {
	claims := map[string]string{"uid": uid}
	if tenant != "" {
		claims["tenant_id"] = tenant
	}
	text, err := json.Marshal(claims)
	return string(text), err
}

// postSignIn signs in as an existing account and returns its tokens.
func (c *Console) postSignIn(in *call) (any, error) {
	one, err := c.signInAs(in)
	if err != nil {
		return nil, err
	}
	return one.Tokens, nil
}

// postOpenSite signs in as an existing account and returns a link that opens the site as its user, once.
func (c *Console) postOpenSite(in *call) (any, error) {
	if c.o.Addresses.Hosting == "" {
		return nil, fault.E(fault.FailedPrecondition, "This server serves no site.")
	}
	one, err := c.signInAs(in)
	if err != nil {
		return nil, err
	}
	now := c.o.Clock.Now()
	one.until = now.Add(signInLife)
	// The user's hashes and the like are not for the site's pages.
	one.User.PasswordHash, one.User.Salt = "", ""
	code, err := c.signIns.keep(one, now)
	if err != nil {
		return nil, err
	}
	return map[string]string{"url": "http://" + siteHost(c.o.Addresses.Hosting, in.Host) + SignInPath + "#" + code}, nil
}

// siteHost returns the host and port of the site for a browser that reached the console by the given host.
func siteHost(site, console string) string {
	at, err := netip.ParseAddrPort(site)
	if err != nil || !at.Addr().IsUnspecified() {
		return site
	}
	host, _, err := net.SplitHostPort(console)
	if err != nil {
		host = console
	}
	return net.JoinHostPort(host, strconv.Itoa(int(at.Port())))
}

// SignIn returns the handler of SignInPath on the site's port: the page, its script, and the exchange of a code.
func (c *Console) SignIn() http.Handler {
	mux := http.NewServeMux()
	for path, file := range map[string]struct{ name, kind string }{
		SignInPath:         {"signin/page.html", "text/html; charset=utf-8"},
		SignInPath + ".js": {"signin/sign-in.js", "text/javascript; charset=utf-8"},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			text, err := signInFiles.ReadFile(file.name)
			if err != nil {
				writeError(w, err)
				return
			}
			setHeaders(w.Header())
			w.Header().Set("Content-Security-Policy", signInPolicy)
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Content-Type", file.kind)
			_, _ = w.Write(text) // it fails only when the client has disconnected
		})
	}
	mux.HandleFunc("POST "+SignInPath, c.exchangeSignIn)
	return mux
}

// exchangeSignIn answers a code with its sign-in.
func (c *Console) exchangeSignIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !sameOrigin(r, false) {
		writeError(w, errOtherOrigin)
		return
	}
	var body struct {
		Code string `json:"code"`
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<10))
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	one := c.signIns.take(body.Code, c.o.Clock.Now())
	if err != nil || one == nil {
		writeError(w, fault.E(fault.NotFound, "The code is unknown, was used already or is too old."))
		return
	}
	httpjson.Write(w, http.StatusOK, one)
}
