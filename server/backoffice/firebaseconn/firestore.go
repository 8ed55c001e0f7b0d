package firebaseconn

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// firestoreAudience is the audience of the JWTs that Firestore's clients sign themselves.
const firestoreAudience = "https://firestore.googleapis.com/"

// googleTokens is the token endpoint of Google's own credentials. Route redirects it to Clave at any address.
const googleTokens = "https://oauth2.googleapis.com/token"

// Accounts returns the options of firebase.NewApp for Authentication on Clave. key is a file of `clave credentials`.
// Route must be called as well.
func Accounts(key []byte) ([]option.ClientOption, error) {
	fields := make(map[string]any)
	if err := json.Unmarshal(key, &fields); err != nil {
		return nil, fmt.Errorf("the key is not JSON: %w", err)
	}
	fields["token_uri"] = googleTokens
	key, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return []option.ClientOption{option.WithAuthCredentialsJSON(option.ServiceAccount, key)}, nil
}

// Firestore returns the options of firestore.NewClient for Clave. key is a file of `clave credentials`.
func Firestore(o Options, key []byte) ([]option.ClientOption, error) {
	d, err := newDialer(o)
	if err != nil {
		return nil, err
	}
	signer, err := google.JWTAccessTokenSourceFromJSON(key, firestoreAudience)
	if err != nil {
		return nil, fmt.Errorf("the key: %w", err)
	}
	encryption := insecure.NewCredentials()
	if d.secure {
		encryption = credentials.NewTLS(&tls.Config{ServerName: d.name, RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12})
	}
	return []option.ClientOption{
		option.WithEndpoint(d.address),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(encryption)),
		option.WithGRPCDialOption(grpc.WithPerRPCCredentials(signed{signer, d.secure})),
	}, nil
}

// signed adds a JWT to each gRPC call. Unlike grpc's own it also works without TLS, which newDialer allows only to this
// machine or if the caller requests it.
type signed struct {
	source oauth2.TokenSource
	secure bool
}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (s signed) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	token, err := s.source.Token()
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + token.AccessToken}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (s signed) RequireTransportSecurity() bool { return s.secure }
