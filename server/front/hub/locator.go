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

	"clave/server/fault"
)

// Locator is the content of the file by which tools find the hub of a project.
type Locator struct {
	Version string   `json:"version"`
	Origins []string `json:"origins"`
	PID     int      `json:"pid"`
}

// Locator returns where a hub with these options is.
func (o Options) Locator() Locator {
	at := o.Emulators.Hub
	host := at.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return Locator{Version: o.Version, Origins: []string{fmt.Sprintf("http://%s:%d", host, at.Port)}, PID: o.PID}
}

// Publish writes the locator of a project's hub to the folder of temporary files, where the tools look for it, and
// returns what removes it. It returns FailedPrecondition when another running program has one there for the project:
// the tools continue to find that one.
func Publish(dir, project string, l Locator) (withdraw func() error, err error) {
	if project == "" || strings.ContainsAny(project, `/\`+"\x00") {
		return nil, fault.E(fault.InvalidArgument, "project %q makes no name for a file", project)
	}
	path := filepath.Join(dir, "hub-"+project+".json")
	if old, err := read(path); err == nil && old.PID != l.PID && alive(old.PID) {
		return nil, fault.E(fault.FailedPrecondition, "another emulator hub for project %s is running (process %d), and tools that look up the hub by project, such as firebase emulators:export, use that one; "+
			"stop it, or start with another --project", project, old.PID)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	// Written beside and renamed: readers never get half of it, and a symbolic link that another user has put into the shared folder is
	// not followed.
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

// read reads a locator. What is no plain file in a folder for all is not opened: it could keep its reader waiting.
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

// alive reports whether a process runs, of whichever user.
func alive(pid int) bool {
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
