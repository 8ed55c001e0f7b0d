package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version, commit and date are set by the build: go build -ldflags "-X main.version=… -X main.commit=… -X main.date=…".
var version, commit, date string

// versionText returns the version, the commit and the date of the build, the last two if they are known.
func versionText() string {
	v, c, d := version, commit, date
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = info.Main.Version
		}
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision" && c == "":
				c = setting.Value
			case setting.Key == "vcs.time" && d == "":
				d = setting.Value
			}
		}
	}
	if v == "" {
		v = "(unknown version)"
	}
	text := v
	if c != "" {
		text += " commit " + c[:min(len(c), 12)]
	}
	if d != "" {
		text += " of " + d
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
