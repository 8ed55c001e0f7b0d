package heap

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Sizes in bytes.
const (
	mib = 1 << 20
	gib = 1 << 30
)

// Smallest is the minimum limit with which the program works.
const Smallest = 64 * mib

// Parse parses a size such as 512MiB, 2GiB or 300000000 (bytes). It returns an error for other texts, and for sizes
// below Smallest.
func Parse(text string) (int64, error) {
	number, unit := text, int64(1)
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"KiB", 1 << 10}, {"MiB", mib}, {"GiB", gib}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil || n < 0 || n > math.MaxInt64/unit:
		return 0, fmt.Errorf("%q is not a size: expected a number with KiB, MiB or GiB, such as 512MiB", text)
	case n*unit < Smallest:
		return 0, fmt.Errorf("%q is too little: expected at least %dMiB", text, Smallest/mib)
	}
	return n * unit, nil
}

// Limit returns the number of bytes that the program may use on this machine: nine tenths of the smallest of the limits
// of its control groups (version 2 or 1) and the machine's memory, or 0 if none is known. root is the root of the file
// system.
func Limit(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	for _, n := range []int64{groupLimit(root), machine(root)} {
		if n > 0 {
			least = min(least, n)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least / 10 * 9
}

// machine returns the machine's memory in bytes, 0 if unknown.
func machine(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil || kib < 0 || kib > math.MaxInt64>>10 {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// groupLimit returns the smallest limit of the process's control group and its parents, 0 for none.
func groupLimit(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(0)
	for line := range strings.Lines(string(text)) {
		// hierarchy:controllers:path; version 2 has one hierarchy, without names (cgroups(7)).
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		mount, file := "sys/fs/cgroup", "memory.max"
		if parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for group := path.Join("/", parts[2]); ; group = path.Dir(group) {
			if n := readLimit(root, path.Join(mount, group, file)); n > 0 && (least == 0 || n < least) {
				least = n
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}

// readLimit reads one limit, 0 for none.
func readLimit(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 0 {
		return 0 // "max"
	}
	return n
}
