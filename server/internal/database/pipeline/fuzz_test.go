package pipeline_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// arguments are the arguments of FuzzArguments that are no calls.
var arguments = []request.Expression{
	request.FieldReference("a"), request.FieldReference("none"), request.FieldReference("__name__"), request.Variable("v"), request.Subpipeline{collection}, request.ListOf{request.FieldReference("a")},
	constant(value.Null{}), constant(value.Bool(true)), constant(value.Bool(false)), constant(value.Int(0)), constant(value.Int(1)), constant(value.Int(-1)), constant(value.Int(math.MaxInt64)),
	constant(value.Int(math.MinInt64)), constant(value.Double(math.NaN())), constant(value.Double(math.Inf(-1))), constant(value.Double(1e308)), constant(value.Double(-0.5)),
	constant(value.String("")), constant(value.String("añb")), constant(value.String("(a*)*b")), constant(value.String("%_")), constant(value.String("day")), constant(value.String("v")), constant(value.String("first")),
	constant(value.String("Europe/Madrid")), constant(value.String(strings.Repeat("ab", 500))), constant(value.Bytes("\xff\x00")), constant(value.Timestamp{Seconds: 253402300799, Nanos: 999999000}),
	constant(value.Timestamp{Seconds: -62135596800}), constant(value.Reference("/c/x")), constant(value.Reference("/c")), constant(value.GeoPoint{Lat: 1, Lng: 2}), constant(value.Array{}),
	constant(value.Array{value.Int(1), value.Null{}, value.String("x")}), constant(value.Map{}), constant(value.Map{"k": value.Int(1)}), constant(value.Vector(1, 2)), constant(value.Vector(0)),
}

// FuzzArguments calls functions with arguments of all types. They never panic, and end with a value, or with an error
// that names a mistake or a limit.
func FuzzArguments(f *testing.F) {
	names := []string{"array_filter", "array_transform", "scalar"}
	for _, fn := range pipeline.Functions {
		names = append(names, fn.Name)
	}
	for i := range names {
		f.Add([]byte{byte(i), 1, 19, 13, 34, byte(i)})
		f.Add([]byte{byte(i), 3, 255, byte(i * 7), 2, 10, 20, 36, 30})
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		next := func() (n int) {
			if len(b) > 0 {
				n, b = int(b[0]), b[1:]
			}
			return n
		}
		var expression func(depth int) request.Expression
		expression = func(depth int) request.Expression {
			name, n := names[next()%len(names)], next()%5
			args := make([]request.Expression, n)
			for i := range args {
				if at := next(); at == 255 && depth < 4 {
					args[i] = expression(depth + 1)
				} else {
					args[i] = arguments[at%len(arguments)]
				}
			}
			return call(name, args...)
		}
		p, err := pipeline.Compile(testDB, []request.Stage{
			stage("literals", constant(value.Map{"a": value.Array{value.Int(3), value.String("b")}, "__name__": value.Reference("/c/x")})),
			stage("let", request.MapOf{"v": request.FieldReference("a")}), stage("select", request.MapOf{"r": expression(0)}),
		})
		if err == nil {
			_, err = p.Run(t.Context(), &memory{}, time.Unix(1e9, 0), func(request.PipelineRow) error { return nil })
		}
		switch fault.CodeOf(err) {
		case fault.OK, fault.InvalidArgument, fault.ResourceExhausted:
		default:
			t.Errorf("%v", err)
		}
	})
}
