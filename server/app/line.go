package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"os"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"clave/server/fault"
	"clave/server/firebaseconn"
	"clave/server/front"
	"clave/server/identity"
	rpcidentity "clave/server/rpc/identity"
	"clave/server/token"
)

// guestName is the service account of the back office that runs in process.
const guestName = "clave-back-office"

// lineLife is how long the line's certificate is good: longer than any server runs.
const lineLife = 10 * 365 * 24 * time.Hour

// line is the way by which the back office in process reaches a production server: a port of this machine alone, with a
// certificate and a service account that live in memory and end with the process. It is a front door like the public
// one, with the same signatures; a line of its own needs neither the public certificate's name nor the proxy before it.
type line struct {
	listener net.Listener
	tls      *tls.Config
	roots    *x509.CertPool
	key      *identity.Credential
}

// guestRuns reports whether the back office runs in process. In production it needs a sign-up code.
func (a *App) guestRuns() bool {
	c := a.config
	return c.Runs("backoffice") && c.Runs("firestore") && c.Runs("auth") && (!c.Production() || c.SignupCode != "")
}

// openLine makes the line of a production server; nil when no guest runs.
func (a *App) openLine() (*line, error) {
	if !a.config.Production() || !a.guestRuns() {
		return nil, nil
	}
	for _, name := range []string{"FIRESTORE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST"} {
		if os.Getenv(name) != "" {
			return nil, fault.E(fault.FailedPrecondition, "%s is set: with it the back office would talk to an emulator and believe unsigned tokens. Unset it.", name)
		}
	}
	key, err := identity.NewCredential(a.config.Project, guestName, "https://oauth2.googleapis.com/token")
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Because(err, fault.Unavailable, "cannot listen on 127.0.0.1 for the back office: %v", err)
	}
	a.onClose(closer(ln))
	l := &line{listener: ln, key: key}
	l.tls, l.roots, err = a.lineCertificate()
	return l, err
}

// lineCertificate makes a certificate for 127.0.0.1 and the pool that believes it alone.
func (a *App) lineCertificate() (*tls.Config, *x509.CertPool, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := a.o.Clock.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: guestName}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lineLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return serverTLS(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private, Leaf: cert}), roots, nil
}

// serviceKeys adds the guest's key to the registered ones.
func (l *line) serviceKeys(service *identity.Service) func(ctx context.Context, email string) (token.ServiceAccount, error) {
	if l == nil {
		return service.ServiceAccount
	}
	return func(ctx context.Context, email string) (token.ServiceAccount, error) {
		known, err := service.ServiceAccount(ctx, email)
		if err == nil && email == l.key.Email {
			known.Project = service.Project()
			known.Keys[l.key.KeyID] = l.key.Public
		}
		return known, err
	}
}

// client leads the Admin SDK of this process along the line and returns the options with which it goes.
func (a *App) client(l *line) ([]option.ClientOption, error) {
	address := l.listener.Addr().String()
	restore, err := firebaseconn.Route(firebaseconn.Options{URL: "https://" + address, RootCAs: l.roots})
	if err != nil {
		return nil, err
	}
	a.onClose(func() error { restore(); return nil })
	return []option.ClientOption{
		option.WithCredentialsJSON(l.key.File),
		option.WithEndpoint(address),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: l.roots, MinVersion: tls.VersionTLS12}))),
	}, nil
}

// serve puts the calls that the Admin SDK makes behind the line.
func (l *line) serve(a *App, calls *calls) error {
	doors, err := calls.firestoreDoors()
	if err != nil {
		return err
	}
	port := front.New(front.Options{
		Name: "back office's line", Listener: l.listener, TLS: l.tls, Budget: a.budget, Log: a.o.Log,
		Doors: front.Doors{GRPC: doors.GRPC, Identity: calls.identity, IdentityHost: rpcidentity.IsHost},
	})
	a.add("back office's line", port)
	return nil
}
