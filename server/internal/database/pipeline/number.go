package pipeline

import (
	"math"
	"math/big"

	"clave/server/internal/model/value"
)

// number returns a function of one number. integers, if not nil, computes it of integers.
func number(name string, integers func(n int64) result, doubles func(d float64) float64) *Function {
	return &Function{Name: name, Args: "number", Result: "number", Source: "go", Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		if n, ok := args[0].(value.Int); ok && integers != nil {
			return integers(int64(n))
		}
		d, ok := value.Float(args[0])
		if !ok {
			return wrongType(name, "Number", args[0])
		}
		return of(value.Double(doubles(d)))
	}}
}

// keep returns an integer itself.
func keep(n int64) result { return of(value.Int(n)) }

// arithmetic returns a function of two or more numbers, computed from the left.
func arithmetic(name string, most int, integers func(a, b int64) (int64, bool), doubles func(a, b float64) result) *Function {
	two := func(a, b value.Value) result {
		n, isInt := a.(value.Int)
		m, areInts := b.(value.Int)
		if isInt && areInts {
			out, ok := integers(int64(n), int64(m))
			if !ok {
				return failed("The function %s(...) overflows or divides by zero.", name)
			}
			return of(value.Int(out))
		}
		x, ok := value.Float(a)
		if !ok {
			return wrongType(name, "Number", a)
		}
		y, ok := value.Float(b)
		if !ok {
			return wrongType(name, "Number", b)
		}
		return doubles(x, y)
	}
	return &Function{Name: name, Args: "number, number", Result: "number", Source: "js", Min: 2, Max: most, eval: func(_ *frame, args []value.Value) result {
		out := of(args[0])
		for _, arg := range args[1:] {
			if out = two(out.v, arg); out.fail != nil {
				return out
			}
		}
		return out
	}}
}

// double returns a double's result.
func double(d float64) result { return of(value.Double(d)) }

// add adds two integers. It returns false if the sum does not have 64 bits.
func add(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// subtract subtracts two integers. It returns false if the difference does not have 64 bits.
func subtract(a, b int64) (int64, bool) {
	c := a - b
	return c, (c < a) == (b > 0)
}

// multiply multiplies two integers. It returns false if the product does not have 64 bits.
func multiply(a, b int64) (int64, bool) {
	c := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	return c.Int64(), c.IsInt64()
}

// divide divides two integers. It returns false for a divisor of 0, and if the quotient does not have 64 bits.
func divide(a, b int64) (int64, bool) {
	if b == 0 || a == math.MinInt64 && b == -1 {
		return 0, false
	}
	return a / b, true
}

// modulo returns the remainder of two integers. It returns false for a division by zero.
func modulo(a, b int64) (int64, bool) {
	switch b {
	case 0:
		return 0, false
	case -1:
		return 0, true
	}
	return a % b, true
}

// scaled returns a function that rounds a number to a number of decimal places.
func scaled(name string, round func(d float64) float64) *Function {
	return &Function{Name: name, Args: "number, int64?", Result: "number", Source: "go", Min: 1, Max: 2, eval: func(_ *frame, args []value.Value) result {
		places := int64(0)
		if len(args) == 2 {
			n, ok := args[1].(value.Int)
			if !ok {
				return wrongType(name, "Long", args[1])
			}
			places = min(max(int64(n), -400), 400)
		}
		n, isInt := args[0].(value.Int)
		if isInt && places >= 0 {
			return of(n)
		}
		d, ok := value.Float(args[0])
		if !ok {
			return wrongType(name, "Number", args[0])
		}
		out := scale(d, int(places), round)
		if !isInt {
			return double(out)
		}
		if out >= math.MaxInt64 || out <= math.MinInt64 {
			return failed("The function %s(...) overflows.", name)
		}
		return of(value.Int(out))
	}}
}

// scale rounds a number at a decimal place. The number itself is returned if it has no such place.
func scale(d float64, places int, round func(d float64) float64) float64 {
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return d
	}
	factor := math.Pow10(places)
	if places < 0 {
		factor = math.Pow10(-places)
		if math.IsInf(factor, 0) {
			return 0
		}
		return round(d/factor) * factor
	}
	out := round(d*factor) / factor
	if math.IsNaN(out) || math.IsInf(out, 0) {
		return d
	}
	return out
}

// positive returns a function of a number for which it is defined only if in accepts the number.
func positive(name string, in func(d float64) bool, eval func(d float64) float64) *Function {
	return &Function{Name: name, Args: "number", Result: "float64", Source: "go", Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		d, ok := value.Float(args[0])
		if !ok {
			return wrongType(name, "Number", args[0])
		}
		if !in(d) {
			return failed("The function %s(...) is not defined for %v.", name, d)
		}
		return double(eval(d))
	}}
}

// twoDoubles returns a function of two numbers, computed as doubles.
func twoDoubles(name string, eval func(a, b float64) result) *Function {
	return &Function{Name: name, Args: "number, number", Result: "float64", Source: "go", Min: 2, Max: 2, eval: func(_ *frame, args []value.Value) result {
		a, ok := value.Float(args[0])
		if !ok {
			return wrongType(name, "Number", args[0])
		}
		b, ok := value.Float(args[1])
		if !ok {
			return wrongType(name, "Number", args[1])
		}
		return eval(a, b)
	}}
}

// logarithm returns the logarithm of a number to a base.
func logarithm(d, base float64) result {
	if d <= 0 || base <= 0 || base == 1 {
		return failed("The function log(...) is not defined for %v and %v.", d, base)
	}
	switch base {
	case 2:
		return double(math.Log2(d))
	case 10:
		return double(math.Log10(d))
	}
	return double(math.Log(d) / math.Log(base))
}

// divideDoubles divides two doubles. As in the SDKs' evaluator, division by zero gives an infinity.
func divideDoubles(a, b float64) result {
	if b == 0 {
		return double(math.Inf(int(math.Copysign(1, b))))
	}
	return double(a / b)
}

// numberFunctions are the functions of numbers.
var numberFunctions = []*Function{
	arithmetic("add", -1, add, func(a, b float64) result { return double(a + b) }),
	arithmetic("subtract", 2, subtract, func(a, b float64) result { return double(a - b) }),
	arithmetic("multiply", -1, multiply, func(a, b float64) result { return double(a * b) }),
	arithmetic("divide", 2, divide, divideDoubles),
	arithmetic("mod", 2, modulo, func(a, b float64) result {
		if b == 0 {
			return failed("The function mod(...) divides by zero.")
		}
		return double(math.Mod(a, b))
	}),
	number("abs", func(n int64) result {
		if n == math.MinInt64 {
			return failed("The function abs(...) overflows.")
		}
		return keep(max(n, -n))
	}, math.Abs),
	number("ceil", keep, math.Ceil),
	number("floor", keep, math.Floor),
	scaled("round", math.Round),
	scaled("trunc", math.Trunc),
	number("exp", nil, math.Exp),
	positive("sqrt", func(d float64) bool { return !(d < 0) }, math.Sqrt),
	positive("ln", func(d float64) bool { return !(d <= 0) }, math.Log),
	positive("log10", func(d float64) bool { return !(d <= 0) }, math.Log10),
	twoDoubles("log", logarithm),
	twoDoubles("pow", func(a, b float64) result { return double(math.Pow(a, b)) }),
}
