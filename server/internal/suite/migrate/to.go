package migrate

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/suite/transfer"
)

// scriptFile is the name of the script that loads an export into Firebase. It has the key of the password hashes.
const scriptFile = "import.sh"

// ToOptions are those of a migration to Firebase.
type ToOptions struct {
	Transfer *transfer.Transfer
	Project  string
	// Dir is the folder to be written: absent, empty or an earlier export.
	Dir   string
	Clock clock.Clock
}

// ToFirebase writes a project to a folder in the forms that Firebase imports, and a script that does it. It reads the
// export back and compares it with the data.
func ToFirebase(ctx context.Context, o ToOptions) (*Report, error) {
	r := &Report{State: Checked, Project: o.Project, Source: []string{}, Began: o.Clock.Now().UTC(), MissingIndexes: []MissingIndex{}}
	source, err := o.Transfer.Counts(ctx, nil)
	if err != nil {
		return nil, err
	}
	sum, err := o.Transfer.Export(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	written, _, err := o.Transfer.Survey(ctx, transfer.Source{Folder: o.Dir})
	if err != nil {
		return nil, err
	}
	r.count(source)
	r.Refused, r.RefusedNumber = written.Refused, written.RefusedNumber
	if r.Refused == nil {
		r.Refused = []transfer.Refused{}
	}
	r.Sides = sidesOf(source.Counts(), written.Counts())
	if names := r.differing(); len(names) > 0 {
		return r, fault.E(fault.DataLoss, "the written export differs from the data: %s", strings.Join(names, "; "))
	}
	users, notes, err := o.Transfer.WriteUsers(ctx, o.Dir)
	if err != nil {
		return r, err
	}
	r.NotMoved = append(append(sum.Notes, notes...),
		"rules and indexes: the files that firebase.json names stay as they are; firebase deploy --only firestore brings them into force in Firebase",
		"configurations of identity providers, tenants and settings: enter them in the Firebase console, before the accounts are imported",
		"sessions: all users sign in again")
	folders, err := transfer.DatabaseFolders(o.Dir)
	if err != nil {
		return r, err
	}
	script := filepath.Join(o.Dir, scriptFile)
	if err := atomicfile.Write(script, []byte(importScript(folders, users)), 0o600); err != nil {
		return r, fault.Wrap(err, fault.FailedPrecondition, "cannot write %s: %v", script, err)
	}
	for _, f := range users {
		r.Files = append(r.Files, filepath.Join(o.Dir, f.Name))
	}
	r.Files = append(r.Files, script)
	r.State, r.Finished = Finished, o.Clock.Now().UTC()
	return r, nil
}

// importScript returns the commands that load an export into Firebase. folders has the folders of databases.
func importScript(folders map[string]string, users []*transfer.UserFile) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Loads this folder into a project of Firebase. Keep it secret: it has the key of the password hashes.\n" +
		"# Usage: sh " + scriptFile + " PROJECT BUCKET\nset -eu\nproject=$1 bucket=$2\ncd \"$(dirname \"$0\")\"\n")
	for _, db := range slices.Sorted(maps.Keys(folders)) {
		folder := quoted(folders[db])
		fmt.Fprintf(&b, "gcloud storage cp -r %s \"gs://$bucket/\"\ngcloud firestore import \"gs://$bucket/\"%s --database=%s --project=\"$project\"\n", folder, folder, quoted(db))
	}
	for _, f := range users {
		if f.Tenant != "" {
			fmt.Fprintf(&b, "# %s has %d accounts of a tenant, which firebase auth:import does not know. Import them with an Admin SDK (importUsers of a tenant).\n", f.Name, f.Accounts)
			continue
		}
		fmt.Fprintf(&b, "firebase auth:import %s%s --project \"$project\"\n", quoted(f.Name), hashFlags(f))
	}
	return b.String()
}

// hashFlags returns the flags of `firebase auth:import` for the hashes of a file.
func hashFlags(f *transfer.UserFile) string {
	h, flags := f.Hash, ""
	add := func(name, text string) {
		if text != "" && text != "0" {
			flags += " --" + name + "=" + quoted(text)
		}
	}
	add("hash-algo", h.HashAlgorithm)
	add("hash-key", standard64(h.SignerKey))
	add("salt-separator", standard64(h.SaltSeparator))
	if h.Rounds > 0 || strings.HasPrefix(h.HashAlgorithm, "PBKDF") || h.HashAlgorithm == "MD5" {
		flags += fmt.Sprint(" --rounds=", h.Rounds)
	}
	add("mem-cost", fmt.Sprint(max(h.MemoryCost, h.CPUMemCost)))
	add("parallelization", fmt.Sprint(h.Parallelization))
	add("block-size", fmt.Sprint(h.BlockSize))
	add("dk-len", fmt.Sprint(h.DkLen))
	switch h.PasswordHashOrder {
	case "SALT_AND_PASSWORD":
		add("hash-input-order", "SALT_FIRST")
	case "PASSWORD_AND_SALT":
		add("hash-input-order", "PASSWORD_FIRST")
	}
	return flags
}

// standard64 returns a text in base64 for URLs in the standard form, which the Firebase CLI expects.
func standard64(text string) string { return strings.NewReplacer("-", "+", "_", "/").Replace(text) }

// quoted returns a text as a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
