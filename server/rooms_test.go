// Package server_test holds the tests of the house itself: which room may import which, and how code is written.
package server_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the import path under which the rooms lie.
const module = "clave/server/"

// unfenced are the rooms that may import any room: the wiring and what stands outside.
var unfenced = []string{"app", "e2e", "bench", "soak"}

// sourceFiles returns the Go files of the house, without tests and generated code, by their room.
func sourceFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := make(map[string][]string)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go") {
			room := filepath.ToSlash(filepath.Dir(name))
			files[room] = append(files[room], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("found %d rooms, want the whole house", len(files))
	}
	return files
}

// readRooms parses rooms.txt into the doors of each room.
func readRooms(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("rooms.txt")
	if err != nil {
		t.Fatal(err)
	}
	rooms := make(map[string][]string)
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		room, doors, ok := strings.Cut(line, ":")
		if _, twice := rooms[room]; !ok || twice {
			t.Fatalf("rooms.txt:%d: want «room: doors», once for each room: %q", i+1, line)
		}
		rooms[room] = nil
		for _, door := range strings.Fields(doors) {
			switch door {
			case "*":
				rooms[room] = append(rooms[room], "fault", "clock")
			case "+":
				rooms[room] = append(rooms[room], "document", "query", "resource", "value")
			default:
				rooms[room] = append(rooms[room], door)
			}
		}
	}
	return rooms
}

// isUnfenced reports whether a room may import any other.
func isUnfenced(room string) bool {
	first, _, _ := strings.Cut(room, "/")
	return slices.Contains(unfenced, first)
}

func TestDoors(t *testing.T) {
	rooms := readRooms(t)
	for room, files := range sourceFiles(t) {
		doors, known := rooms[room]
		if !known && !isUnfenced(room) {
			t.Errorf("room %s is not in rooms.txt", room)
			continue
		}
		for _, file := range files {
			for _, door := range houseImports(t, file) {
				if !isUnfenced(room) && !slices.Contains(doors, door) {
					t.Errorf("%s: room %s has no door to %s (rooms.txt)", file, room, door)
				}
				if isUnfenced(door) && door != "app" {
					t.Errorf("%s: nothing imports %s", file, door)
				}
			}
		}
	}
	for room := range rooms {
		if _, err := os.Stat(room); err != nil {
			t.Errorf("rooms.txt names %s, which is not built: a room that does not exist has no line", room)
		}
	}
}

// houseImports returns the rooms that a file imports.
func houseImports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var rooms []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if room, ok := strings.CutPrefix(name, module); ok {
			rooms = append(rooms, path.Clean(room))
		}
	}
	return rooms
}

func TestDoorsGoDown(t *testing.T) {
	rooms := readRooms(t)
	const visiting, done = 1, 2
	state := make(map[string]int)
	var visit func(room string, trail []string) error
	visit = func(room string, trail []string) error {
		switch state[room] {
		case visiting:
			return fmt.Errorf("doors make a circle: %s", strings.Join(append(trail, room), " → "))
		case done:
			return nil
		}
		state[room] = visiting
		for _, door := range rooms[room] {
			if err := visit(door, append(trail, room)); err != nil {
				return err
			}
		}
		state[room] = done
		return nil
	}
	for room := range rooms {
		if err := visit(room, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, fence := range []struct{ room, never string }{
		{"rpc/firestore", "engine"}, {"rules", "engine"}, {"rules", "storage"}, {"engine", "guard"}, {"backoffice", "engine"}, {"backoffice", "guard"},
	} {
		if slices.Contains(rooms[fence.room], fence.never) {
			t.Errorf("%s must not see %s (the fences of design.md)", fence.room, fence.never)
		}
	}
}
