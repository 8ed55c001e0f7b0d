package heap_test

import (
	"testing"
	"testing/fstest"

	"clave/server/internal/limit/heap"
)

// mib is a mebibyte.
const mib = 1 << 20

func TestLimit(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tests := []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"nothing is known", fstest.MapFS{}, 0},
		{"the machine", fstest.MapFS{"proc/meminfo": file("MemTotal:        2048 kB\nMemFree: 1 kB\n")}, 2048 << 10 / 10 * 9},
		{"version 2", fstest.MapFS{
			"proc/meminfo": file("MemTotal: 99999999 kB\n"), "proc/self/cgroup": file("0::/system.slice/clave.service\n"),
			"sys/fs/cgroup/system.slice/clave.service/memory.max": file("max\n"), "sys/fs/cgroup/system.slice/memory.max": file("1000000\n"),
		}, 900000},
		{"version 2 in a container", fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("2000000\n")}, 1800000},
		{"version 1", fstest.MapFS{
			"proc/self/cgroup": file("5:cpu,cpuacct:/a\n4:memory:/docker/x\n"), "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": file("3000000\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n"),
		}, 2700000},
		{"more than the machine has", fstest.MapFS{
			"proc/meminfo": file("MemTotal: 1000 kB\n"), "proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("9000000\n"),
		}, 1000 << 10 / 10 * 9},
		{"nonsense", fstest.MapFS{"proc/meminfo": file("MemTotal: many\n"), "proc/self/cgroup": file("x\n::::\n")}, 0},
	}
	for _, tt := range tests {
		if got := heap.Limit(tt.root); got != tt.want {
			t.Errorf("%s: Limit = %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"512MiB": 512 * mib, "2GiB": 2048 * mib, "131072KiB": 128 * mib, "100000000": 100000000, "100000000B": 100000000,
		"": 0, "MiB": 0, "-5GiB": 0, "1.5GiB": 0, "63MiB": 0, "512MB": 0, "9999999999GiB": 0,
	} {
		got, err := heap.Parse(text)
		if got != want || (err == nil) != (want != 0) {
			t.Errorf("Parse(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("512MiB")
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := heap.Parse(text); err == nil && n < heap.Smallest {
			t.Errorf("Parse(%q) = %d, want at least %d", text, n, heap.Smallest)
		}
	})
}

func TestPlanStaysWithinItsLimit(t *testing.T) {
	for _, limit := range []int64{heap.Smallest, 128 * mib, 512 * mib, 4096 * mib, 0} {
		for _, configured := range []bool{false, true} {
			p := heap.PlanFor(limit, configured)
			if p.Table*2 > p.Cache+8*mib || p.Requests < 36*mib {
				t.Errorf("PlanFor(%d, %t) = %+v: two tables are more than the cache, or no request of 36 MiB fits", limit, configured, p)
			}
			if limit > 0 && p.Cache+p.Requests > limit {
				t.Errorf("PlanFor(%d, %t) = %+v: more than the limit", limit, configured, p)
			}
		}
	}
	if p := heap.PlanFor(64<<30, false); p.Cache > 100*mib || p.Table > 16*mib {
		t.Errorf("a large machine's cache is %d MiB, and a table %d, without being configured", p.Cache/mib, p.Table/mib)
	}
	if p := heap.PlanFor(8<<30, true); p.Cache < 512*mib {
		t.Errorf("the cache of a limit of 8 GiB is %d MiB, want it to grow with the limit", p.Cache/mib)
	}
}

func TestGarbageIsBounded(t *testing.T) {
	for _, live := range []int64{0, 1 * mib, 12 * mib, 40 * mib, 90 * mib, 104 * mib, 145 * mib, 200 * mib, 4096 * mib} {
		for _, scanned := range []int64{0, live / 10, live} {
			percent := heap.Percent(live, scanned)
			garbage := live * int64(percent) / 100
			small := int64(41 * mib)
			if live >= 104*mib {
				small = 17 * mib
			}
			if most := max(small, min(live*51/100, scanned), live/10); garbage > most {
				t.Errorf("%d MiB live, %d to look through: %d MiB of garbage are allowed, want at most %d", live/mib, scanned/mib, garbage/mib, most/mib)
			}
			if percent < 10 {
				t.Errorf("%d MiB live, %d to look through: %d %% of garbage are allowed, with which the collector would run continuously", live/mib, scanned/mib, percent)
			}
		}
	}
}

// TestCeilingLeavesRoomForTheNextCycle checks that the memory limit is above the next target of the heap. Otherwise the
// collector would run continuously. It also checks that few free pages remain.
func TestCeilingLeavesRoomForTheNextCycle(t *testing.T) {
	const beside = 30 * mib
	for _, live := range []int64{0, 12 * mib, 100 * mib, 4096 * mib} {
		for _, percent := range []int{10, 100, 400} {
			next := live + live*int64(percent)/100
			if got := heap.Ceiling(live, percent, beside) - next - beside; got < 8*mib+live/40 || got > 8*mib+live/20 {
				t.Errorf("%d MiB live, %d %% of garbage: %d MiB of free pages are left, want 8 and some percent of the live", live/mib, percent, got/mib)
			}
		}
	}
}
