package app

import (
	"fmt"
	"os"
	"sync"
)

// announcer returns the function that shows codes and links of Auth as the official emulator does: as a notice, and in
// the debug log if one is configured.
func (a *App) announcer() (func(text string), error) {
	var log *os.File
	if path := a.config.Auth.DebugLog; path != "" {
		var err error
		if log, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return nil, fmt.Errorf("open the debug log: %w", err)
		}
		a.components.OnClose(log.Close)
	}
	var mu sync.Mutex // notices come from concurrent requests
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(a.o.Notices, "i  %s\n", text)
		if log == nil {
			return
		}
		if _, err := fmt.Fprintf(log, "[info] i  %s\n", text); err != nil {
			a.o.Log.Warn("a code was not written to the debug log", "error", err)
		}
	}, nil
}
