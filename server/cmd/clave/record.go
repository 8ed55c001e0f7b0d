package main

import (
	"context"
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
	r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, "http://"+reachable(address)+"/emulator/v1/projects/"+c.Project+":recording", http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // a read
	if res.StatusCode != http.StatusOK {
		return fault.E(fault.Internal, "--record-requests: the server responded with %s", res.Status)
	}
	f, err := os.OpenFile(c.RecordRequests, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "--record-requests: %s", err)
	}
	_, err = io.Copy(f, res.Body)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
