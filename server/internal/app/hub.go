package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	"clave/server/internal/base/fault"
	"clave/server/internal/suite/hub"
	"clave/server/internal/suite/transfer"
)

// makeHub creates the emulator hub, which writes its locator file. There is none in production.
func (a *App) makeHub(t *transfer.Transfer) http.Handler {
	at := a.addresses
	if at.Hub == "" {
		return nil
	}
	o := hub.Options{Version: transfer.FormatVersion, PID: os.Getpid(), Emulators: hub.Emulators{
		Hub: hub.At("hub", at.Hub), Auth: hub.At("auth", at.Auth), Firestore: hub.At("firestore", at.Firestore), Hosting: hub.At("hosting", at.Hosting), UI: hub.At("ui", at.Console),
		Storage: hub.At("storage", at.Storage),
	}}
	if e := o.Emulators.Firestore; e != nil {
		e.PID = o.PID
		if _, port, err := net.SplitHostPort(at.Websocket); err == nil {
			e.WebSocketHost = e.Host
			e.WebSocketPort, _ = strconv.Atoi(port) // of a listener
			e.ReservedPorts = []int{e.WebSocketPort}
		}
	}
	o.Export = func(ctx context.Context, dir, by string, only []string) error {
		fmt.Fprintf(a.o.Notices, "Export to %s requested by %q\n", dir, by)
		sum, err := t.Export(ctx, dir, only...)
		if err != nil {
			fmt.Fprintf(a.o.Notices, "Export failed: %s\n", fault.FromError(err).Message)
			return err
		}
		transfer.Report(a.o.Notices, "Exported to "+dir, sum)
		return nil
	}
	if a.settling != nil && a.config.Functions != "" {
		o.Triggers = a.settling.Triggers.SetEnabled
	}
	a.prepare = append(a.prepare, func(context.Context) error {
		withdraw, err := hub.Publish(a.config.TempDir, a.config.Project, o.Locator())
		if err != nil {
			fmt.Fprintf(a.o.Notices, "Hub not registered for the project: %s\n", fault.Reason(err))
			return nil
		}
		a.components.OnClose(withdraw)
		return nil
	})
	return hub.New(o)
}
