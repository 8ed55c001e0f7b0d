package hub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"clave/server/internal/base/fault"
)

// Locator is the content of the file by which tools find the hub of a project.
type Locator struct {
	Version string   `json:"version"`
	Origins []string `json:"origins"`
	PID     int      `json:"pid"`
}

// Locator returns the locator of a hub with these options.
func (o Options) Locator() Locator {
	at := o.Emulators.Hub
	host := at.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return Locator{Version: o.Version, Origins: []string{fmt.Sprintf("http://%s:%d", host, at.Port)}, PID: o.PID}
}

// Publish writes the locator of a project's hub to the folder of temporary files, where the tools look for it, and
// returns a function that removes it. It returns FailedPrecondition if another running program has one for the project:
// the tools continue to find that one.
func Publish(dir, project string, l Locator) (withdraw func() error, err error) {
	if project == "" || strings.ContainsAny(project, `/\`+"\x00") {
		return nil, fault.E(fault.InvalidArgument, "project %q cannot be part of the name of a file", project)
	}
	path := filepath.Join(dir, "hub-"+project+".json")
	if old, err := read(path); err == nil && old.PID != l.PID && processRuns(old.PID) {
		return nil, fault.E(fault.FailedPrecondition, "another emulator hub for project %s is running (process %d), and tools that look up the hub by project, such as firebase emulators:export, use that one; "+
			"stop it, or start with another --project", project, old.PID)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	// The file is written under another name and renamed: readers never read a part of it, and a symbolic link of another
	// user in the shared folder is not followed.
	part, err := os.CreateTemp(dir, "hub-*.part")
	if err != nil {
		return nil, err
	}
	_, err = part.Write(text)
	const readable = 0o644
	err = errors.Join(err, part.Chmod(readable), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(part.Name()))
	}
	return func() error {
		if now, err := read(path); err != nil || now.PID != l.PID {
			return nil // it is another's now
		}
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}, nil
}

// read reads a locator. It opens only regular files, because the folder is shared and others, such as a pipe, could
// block the reader.
func read(path string) (Locator, error) {
	var l Locator
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return l, errors.Join(err, fs.ErrInvalid)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	return l, err
}

// processRuns reports whether a process of any user runs.
func processRuns(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
