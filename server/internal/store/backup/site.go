package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"clave/server/internal/base/atomicfile"
)

// The folder of a deployed site in a data folder (package versions), and what is in it: the state with its releases,
// the records of versions, and their contents. A content is never changed, only removed once no record names it.
const (
	siteName     = "hosting"
	siteState    = "state.json"
	siteVersions = "versions"
	siteContents = "files"
	// siteFinalized is the status of the versions that can be released.
	siteFinalized = "FINALIZED"
)

// siteAttempts is the number of states of a site of which one is copied. The next one is only needed if a version was
// released, replaced and deleted in less time than it takes to link its contents.
const siteAttempts = 50

// copySite copies the deployed site of a data folder, if it has one, while a server may change it. Contents are linked
// if the copy is on the same file system.
//
// What the record of a finalized version names is there as long as the record is. So records are copied before
// contents, and those that were removed meanwhile are left out. The state comes last; the versions that its channels
// serve are copied again unless they were finalized before. If these are deleted again and again, a channel has an
// earlier release in the copy.
func copySite(ctx context.Context, data, dir string) error {
	from, to := filepath.Join(data, siteName), filepath.Join(dir, siteName)
	if _, err := os.Lstat(filepath.Join(from, siteState)); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was released
	}
	err := copyVersions(ctx, from, to)
	var state []byte
	for i := 0; err == nil && i < siteAttempts; i++ {
		if state, err = os.ReadFile(filepath.Join(from, siteState)); err != nil {
			break
		}
		complete := true
		for _, version := range served(state) {
			var has bool
			if has, err = copyVersion(from, to, version); err != nil {
				break
			}
			complete = complete && has
		}
		if complete {
			break
		}
	}
	if err == nil {
		state, err = completeState(state, func(version string) bool { return isCopied(to, version) })
	}
	if err == nil {
		err = errors.Join(atomicfile.Write(filepath.Join(to, siteState), state, fileMode), atomicfile.SyncFolder(dir))
	}
	if err != nil {
		return fmt.Errorf("copy the deployed site: %w", err)
	}
	return nil
}

// recordOf returns the file of the record of a version in the folder of a site.
func recordOf(site, version string) string {
	return filepath.Join(site, siteVersions, filepath.Base(version)+".json")
}

// siteRecord is what the copy of a site reads of the record of a version.
type siteRecord struct {
	Status string `json:"status"`
	// Files are the contents by paths.
	Files map[string]string `json:"files"`
}

// isCopied reports whether the copy of a site has a version that can be served, with all contents.
func isCopied(to, version string) bool {
	text, err := os.ReadFile(recordOf(to, version))
	var of siteRecord
	if err != nil || json.Unmarshal(text, &of) != nil || of.Status != siteFinalized {
		return false
	}
	for _, hash := range of.Files {
		if _, err := os.Lstat(filepath.Join(to, siteContents, filepath.Base(hash))); err != nil {
			return false
		}
	}
	return true
}

// served returns the versions that the channels of a state serve.
func served(state []byte) (versions []string) {
	var all struct {
		Channels map[string]struct {
			Releases []struct {
				Version string `json:"version"`
			} `json:"releases"`
		} `json:"channels"`
	}
	if json.Unmarshal(state, &all) != nil {
		return nil
	}
	for _, c := range all.Channels {
		if len(c.Releases) > 0 && c.Releases[0].Version != "" {
			versions = append(versions, c.Releases[0].Version)
		}
	}
	return versions
}

// copyVersion copies a version, unless the copy has it. It reports whether the copy has it then: not if it was deleted
// meanwhile.
func copyVersion(from, to, version string) (has bool, err error) {
	if isCopied(to, version) {
		return true, nil
	}
	record, err := os.ReadFile(recordOf(from, version))
	var of siteRecord
	if err == nil {
		err = json.Unmarshal(record, &of)
	}
	for _, hash := range of.Files {
		if err == nil {
			err = linkContent(filepath.Join(from, siteContents, filepath.Base(hash)), filepath.Join(to, siteContents, filepath.Base(hash)))
		}
	}
	if err == nil {
		_, err = os.Lstat(recordOf(from, version)) // all contents were there
	}
	if err == nil {
		return true, atomicfile.Write(recordOf(to, version), record, fileMode)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return false, err
}

// linkContent makes a link to a content, or a copy on another file system. A copy that is there stays.
func linkContent(source, target string) error {
	err := os.Link(source, target)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return copyFile(source, target)
}

// completeState returns the state of a site in which the latest release of each channel has a version that has
// reports. The bytes stay unless one has not. A state that can't be read stays too: it is as damaged as the site.
func completeState(state []byte, has func(version string) bool) ([]byte, error) {
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(state))
	d.UseNumber()
	if d.Decode(&all) != nil {
		return state, nil
	}
	changed := false
	channels, _ := all["channels"].(map[string]any)
	for _, c := range channels {
		channel, _ := c.(map[string]any)
		releases, _ := channel["releases"].([]any)
		for len(releases) > 0 {
			release, _ := releases[0].(map[string]any)
			version, _ := release["version"].(string)
			if version == "" || has(version) { // none: the release has disabled the channel
				break
			}
			releases, changed = releases[1:], true
			channel["releases"] = releases
		}
	}
	if !changed {
		return state, nil
	}
	return json.Marshal(all)
}

// copyVersions copies the records of the versions of a site, and their contents.
func copyVersions(ctx context.Context, from, to string) error {
	records, target := filepath.Join(from, siteVersions), filepath.Join(to, siteVersions)
	if err := os.MkdirAll(target, folderMode); err != nil {
		return err
	}
	if err := copyTree(ctx, records, target, func(name string) bool { return !strings.HasSuffix(name, ".json") }); err != nil {
		return err
	}
	if err := linkContents(ctx, filepath.Join(from, siteContents), filepath.Join(to, siteContents)); err != nil {
		return err
	}
	copied, err := os.ReadDir(target)
	if err != nil {
		return err
	}
	for _, c := range copied {
		if _, err := os.Lstat(filepath.Join(records, c.Name())); errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(filepath.Join(target, c.Name()))
			if err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return errors.Join(atomicfile.SyncFolder(target), atomicfile.SyncFolder(to))
}

// linkContents makes a folder with the contents of a site. Those that are removed meanwhile are left out.
func linkContents(ctx context.Context, from, to string) error {
	if err := os.Mkdir(to, folderMode); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Type().IsRegular() {
			continue
		}
		err := linkContent(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return atomicfile.SyncFolder(to)
}
