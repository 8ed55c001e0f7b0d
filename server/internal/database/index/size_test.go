package index

import (
	"testing"

	"clave/server/internal/model/value"
)

// TestBilledSize computes the examples of the page on storage sizes, and others by its rules.
func TestBilledSize(t *testing.T) {
	const task = "users/jeff/tasks/my_task_id" // its name has 44 bytes, that of users/jeff 27
	const entry = 44 + 27 + 32
	done := value.Map{"done": value.Bool(false)}
	page := value.Map{
		"type": value.String("Personal"), "done": value.Bool(false), "priority": value.Int(1), "description": value.String("Learn Cloud Firestore"),
	}
	none := Override{CollectionGroup: "tasks", Path: "*"}
	composite := func(group bool, fields ...Field) Definitions {
		return Definitions{Overrides: []Override{none}, Indexes: []Definition{{CollectionGroup: "tasks", Group: group, Fields: fields}}}
	}
	priority := []Field{{Path: "done", Mode: Ascending}, {Path: "priority", Mode: Ascending}}
	long := make([]byte, 5000)
	for name, tt := range map[string]struct {
		defs   Definitions
		path   string
		fields value.Map
		want   int64
	}{
		"a field in both orders":           {Definitions{}, task, done, 2 * 109},
		"all fields":                       {Definitions{}, task, page, 2 * (4*entry + 71)},
		"a document at the root":           {Definitions{}, "users/jeff", done, 2 * (27 + 32 + 6)},
		"the member of a map":              {Definitions{}, task, value.Map{"a": value.Map{"done": value.Bool(true)}}, 2 * (entry + 7 + 1)},
		"an array with equal elements":     {Definitions{}, task, value.Map{"a": value.Array{value.Int(1), value.Int(1), value.String("x")}}, 2*(entry+2) + 8 + 2},
		"a long value":                     {Definitions{}, task, value.Map{"a": value.Bytes(long)}, 2 * (entry + 2 + 1500)},
		"no index":                         {Definitions{Overrides: []Override{none}}, task, page, 0},
		"one of a group, ascending":        {Definitions{Overrides: []Override{{CollectionGroup: "tasks", Path: "done", Group: Single{Ascending: true}}}}, task, done, 98},
		"elements, of a group":             {Definitions{Overrides: []Override{{CollectionGroup: "tasks", Path: "a", Group: Single{Contains: true}}}}, task, value.Map{"a": value.Array{value.Int(1), value.Int(2)}}, 2 * (44 + 48 + 2 + 8)},
		"a composite":                      {composite(false, priority...), task, page, 112},
		"a composite of a group":           {composite(true, priority...), task, page, 85},
		"a composite that lacks a field":   {composite(false, priority...), task, done, 0},
		"a composite with elements":        {composite(false, priority[0], Field{Path: "a", Mode: Contains}), task, value.Map{"done": value.Bool(true), "a": value.Array{value.Int(1), value.Int(2)}}, 2 * 112},
		"a composite of what is no array":  {composite(false, Field{Path: "done", Mode: Contains}), task, done, 0},
		"a document of another collection": {composite(false, priority...), "users/jeff/other/my_task_id", value.Map{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			set := NewSet(tt.defs, []uint32{1})
			if got := set.BilledSize(tt.path, tt.fields); got != tt.want {
				t.Errorf("BilledSize(%s) = %d, want %d", tt.path, got, tt.want)
			}
		})
	}
}
