// Package keyset reads the published keys of another App Check service, a JWK set, and keeps them current.
package keyset

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/loopback"
)

// The times: the keys are read every refreshEvery, and every retryEvery while they can't be, but not more often than
// every retryEvery because of a token with an unknown key.
const (
	refreshEvery = time.Hour
	retryEvery   = time.Minute
	timeLimit    = 10 * time.Second
)

// maxSet is the maximum size of a set in bytes, maxKeys its maximum number of keys, and minBits the minimum size of a
// key.
const (
	maxSet  = 256 << 10
	maxKeys = 64
	minBits = 2048
)

// Options configure Keys.
type Options struct {
	// URL is the address of the set.
	URL string
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log logs why the keys could not be read; nil logs nothing.
	Log *slog.Logger
}

// Keys are the keys of a set. They are read while Run runs. Keys is safe for concurrent use.
type Keys struct {
	o      Options
	client *http.Client
	// keys are the keys by id; nil before they were read.
	keys atomic.Pointer[map[string]*rsa.PublicKey]
	// wanted receives when a token names an unknown key.
	wanted chan struct{}
}

// ValidURL reports whether keys may be read from an address: keys that arrive unencrypted could be anybody's.
func ValidURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && loopback.Is(u.Hostname()))
}

// New returns Keys.
func New(o Options) *Keys {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	client := &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: timeLimit, DisableKeepAlives: true}, Timeout: timeLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects") },
	}
	return &Keys{o: o, client: client, wanted: make(chan struct{}, 1)}
}

// Key returns the key with an id, or nil. An unknown one lets Run read the set again. It returns Unavailable before the
// keys were read.
func (k *Keys) Key(id string) (*rsa.PublicKey, error) {
	all := k.keys.Load()
	if all == nil {
		return nil, fault.E(fault.Unavailable, "The keys of App Check tokens can't be read at the moment. Please try again.")
	}
	key := (*all)[id]
	if key == nil {
		select {
		case k.wanted <- struct{}{}:
		default:
		}
	}
	return key, nil
}

// Set returns the keys as a JWK set's keys, ordered by id.
func (k *Keys) Set() []token.JWK {
	all := k.keys.Load()
	if all == nil {
		return nil
	}
	var set []token.JWK
	for _, id := range slices.Sorted(maps.Keys(*all)) {
		set = append(set, token.Published(id, (*all)[id]))
	}
	return set
}

// Run reads the keys, and reads them again from time to time, until ctx is done.
func (k *Keys) Run(ctx context.Context) error {
	for {
		wait := refreshEvery
		if err := k.Read(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			k.o.Log.Warn("the keys of App Check tokens can't be read", "url", k.o.URL, "error", err)
			wait = retryEvery
		}
		if clock.Sleep(ctx, k.o.Clock, retryEvery) != nil {
			return nil
		}
		if wait == retryEvery {
			continue
		}
		due, stop := k.o.Clock.After(wait - retryEvery)
		select {
		case <-ctx.Done():
		case <-due:
		case <-k.wanted:
		}
		stop()
		if ctx.Err() != nil {
			return nil
		}
	}
}

// Read reads the keys. The previous ones stay if it fails.
func (k *Keys) Read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.o.URL, nil)
	if err != nil {
		return err
	}
	res, err := k.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", res.Status)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxSet+1))
	if err != nil {
		return err
	}
	keys, err := parse(text)
	if err != nil {
		return err
	}
	k.keys.Store(&keys)
	return nil
}

// parse reads the RSA keys of a set.
func parse(text []byte) (map[string]*rsa.PublicKey, error) {
	var set jose.JSONWebKeySet
	if len(text) > maxSet {
		return nil, fmt.Errorf("it has more than %d bytes", maxSet)
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("it has more than %d keys", maxKeys)
	}
	keys := make(map[string]*rsa.PublicKey)
	for _, key := range set.Keys {
		public, ok := key.Key.(*rsa.PublicKey)
		if ok && key.KeyID != "" && (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == string(jose.RS256)) && public.N.BitLen() >= minBits {
			keys[key.KeyID] = public
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("it has no RSA key for signatures")
	}
	return keys, nil
}
