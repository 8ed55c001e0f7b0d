package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
)

// recordRequests writes the requests that the rules of a running server decided to the file of --record-requests. It
// does nothing without the flag.
func recordRequests(ctx context.Context, c *config.Config, address string) error {
	if c.RecordRequests == "" {
		return nil
	}
	if address == "" {
		return fault.E(fault.FailedPrecondition, "--record-requests: Firestore does not run")
	}
	body, err := control(ctx, address, "projects/"+c.Project+":recording")
	if err != nil {
		return fault.Wrap(err, fault.Internal, "--record-requests: %s", err)
	}
	defer func() { _ = body.Close() }() // a read
	f, err := os.OpenFile(c.RecordRequests, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "--record-requests: %s", err)
	}
	_, err = io.Copy(f, body)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// control returns the response of a control route of Firestore, also after ctx has ended.
func control(ctx context.Context, address, route string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, "http://"+reachable(address)+"/emulator/v1/"+route, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fault.E(fault.Internal, "the server responded with %s", res.Status), res.Body.Close())
	}
	return res.Body, nil
}
