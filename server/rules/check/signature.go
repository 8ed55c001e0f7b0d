package check

import "clave/server/rules/syntax"

// types are the types that an expression may have, in the order in which the official compiler names them. Nil are all.
type types []string

// The types that are asked for and given in many places.
var (
	isBool      = types{"bool"}
	isBytes     = types{"bytes"}
	isDuration  = types{"duration"}
	isFloat     = types{"float"}
	isInt       = types{"int"}
	isLatLng    = types{"latlng"}
	isList      = types{"list"}
	isMap       = types{"map"}
	isMapDiff   = types{"map_diff"}
	isPath      = types{"path"}
	isSet       = types{"set"}
	isString    = types{"string"}
	isTimestamp = types{"timestamp"}

	isAdded      = types{"int", "float", "string", "duration", "timestamp"}
	isBound      = types{"null", "int"}
	isContainer  = types{"list", "set", "map", "constraint"}
	isDigested   = types{"bytes", "string"}
	isGlob       = types{"string", "path"}
	isIndex      = types{"int", "string"}
	isIndexed    = types{"string", "list", "map", "path"}
	isKey        = types{"string", "list"}
	isListOrSet  = types{"list", "set"}
	isMillis     = types{"int", "string"}
	isMultiplied = types{"int", "float"}
	isNegated    = types{"int", "float", "duration"}
	isNumber     = types{"float", "int"}
	isNumeral    = types{"int", "float", "string"}
	isPrinted    = types{"int", "float", "null", "string", "bool", "path"}
	isSegment    = types{"path", "null", "int", "float", "string", "bool"}
	isSized      = types{"string", "bytes", "list", "set", "map"}
	isSliced     = types{"string", "list", "path"}
	isSubtracted = types{"int", "float", "duration", "timestamp"}
	isTime       = types{"duration", "timestamp"}
)

// signature is what a built-in function or method takes and gives.
type signature struct {
	// on is what a method is called on.
	on     types
	params []types
	gives  types
}

// takes makes the parameters of a signature.
func takes(params ...types) []types { return params }

// functions are the functions that need no declaration.
var functions = map[string]signature{
	"get":             {params: takes(isPath)},
	"getAfter":        {params: takes(isPath)},
	"exists":          {params: takes(isPath)},
	"existsAfter":     {params: takes(isPath)},
	"debug":           {params: takes(types(nil))},
	"string":          {params: takes(isPrinted), gives: isString},
	"int":             {params: takes(isNumeral), gives: isInt},
	"float":           {params: takes(isNumeral), gives: isFloat},
	"path":            {params: takes(isString), gives: isPath},
	"math.abs":        {params: takes(isMultiplied), gives: isMultiplied},
	"math.ceil":       {params: takes(isNumber), gives: isFloat},
	"math.floor":      {params: takes(isNumber), gives: isFloat},
	"math.round":      {params: takes(isNumber), gives: isInt},
	"math.sqrt":       {params: takes(isNumber), gives: isFloat},
	"math.pow":        {params: takes(isNumber, isNumber), gives: isFloat},
	"math.isNaN":      {params: takes(isNumber), gives: isBool},
	"timestamp.date":  {params: takes(isInt, isInt, isInt), gives: isTimestamp},
	"timestamp.value": {params: takes(isMillis), gives: isTimestamp},
	"duration.value":  {params: takes(isInt, isString), gives: isDuration},
	"duration.time":   {params: takes(isInt, isInt, isInt, isInt), gives: isDuration},
	"duration.abs":    {params: takes(isDuration), gives: isDuration},
	"latlng.value":    {params: takes(isNumber, isNumber), gives: isLatLng},
	"hashing.md5":     {params: takes(isDigested), gives: isBytes},
	"hashing.sha256":  {params: takes(isDigested), gives: isBytes},
	"hashing.crc32":   {params: takes(isDigested), gives: isBytes},
	"hashing.crc32c":  {params: takes(isDigested), gives: isBytes},
}

// methods are the methods that some type has.
var methods = map[string]signature{
	"size":          {on: isSized, gives: isInt},
	"lower":         {on: isString, gives: isString},
	"upper":         {on: isString, gives: isString},
	"trim":          {on: isString, gives: isString},
	"toUtf8":        {on: isString, gives: isBytes},
	"matches":       {on: isString, params: takes(isString), gives: isBool},
	"split":         {on: isString, params: takes(isString), gives: isList},
	"replace":       {on: isString, params: takes(isString, isString), gives: isString},
	"toBase64":      {on: isBytes, gives: isString},
	"toHexString":   {on: isBytes, gives: isString},
	"hasAll":        {on: isListOrSet, params: takes(isListOrSet), gives: isBool},
	"hasAny":        {on: isListOrSet, params: takes(isListOrSet), gives: isBool},
	"hasOnly":       {on: isListOrSet, params: takes(isListOrSet), gives: isBool},
	"concat":        {on: isList, params: takes(isList), gives: isList},
	"removeAll":     {on: isList, params: takes(isList), gives: isList},
	"join":          {on: isList, params: takes(isString), gives: isString},
	"toSet":         {on: isList, gives: isSet},
	"union":         {on: isSet, params: takes(isSet), gives: isSet},
	"intersection":  {on: isSet, params: takes(isSet), gives: isSet},
	"difference":    {on: isSet, params: takes(isSet), gives: isSet},
	"keys":          {on: isMap, gives: isList},
	"values":        {on: isMap, gives: isList},
	"get":           {on: isMap, params: takes(isKey, nil)},
	"diff":          {on: isMap, params: takes(isMap), gives: isMapDiff},
	"addedKeys":     {on: isMapDiff, gives: isSet},
	"removedKeys":   {on: isMapDiff, gives: isSet},
	"changedKeys":   {on: isMapDiff, gives: isSet},
	"affectedKeys":  {on: isMapDiff, gives: isSet},
	"unchangedKeys": {on: isMapDiff, gives: isSet},
	"year":          {on: isTimestamp, gives: isInt},
	"month":         {on: isTimestamp, gives: isInt},
	"day":           {on: isTimestamp, gives: isInt},
	"hours":         {on: isTimestamp, gives: isInt},
	"minutes":       {on: isTimestamp, gives: isInt},
	"seconds":       {on: isTime, gives: isInt},
	"nanos":         {on: isTime, gives: isInt},
	"dayOfWeek":     {on: isTimestamp, gives: isInt},
	"dayOfYear":     {on: isTimestamp, gives: isInt},
	"toMillis":      {on: isTimestamp, gives: isInt},
	"date":          {on: isTimestamp, gives: isTimestamp},
	"time":          {on: isTimestamp, gives: isDuration},
	"latitude":      {on: isLatLng, gives: isFloat},
	"longitude":     {on: isLatLng, gives: isFloat},
	"distance":      {on: isLatLng, params: takes(isLatLng), gives: isFloat},
	"bind":          {on: isPath, params: takes(isMap), gives: isPath},
}

// operators are what the operators but == and != take on both sides and give.
var operators = map[syntax.Op]struct{ left, right, gives types }{
	syntax.Add:          {isAdded, isAdded, isAdded},
	syntax.Sub:          {isSubtracted, isSubtracted, isSubtracted},
	syntax.Mul:          {isMultiplied, isMultiplied, isMultiplied},
	syntax.Div:          {isMultiplied, isMultiplied, isMultiplied},
	syntax.Mod:          {isMultiplied, isMultiplied, isMultiplied},
	syntax.And:          {isBool, isBool, isBool},
	syntax.Or:           {isBool, isBool, isBool},
	syntax.In:           {nil, isContainer, isBool},
	syntax.Less:         {nil, nil, isBool},
	syntax.LessEqual:    {nil, nil, isBool},
	syntax.Greater:      {nil, nil, isBool},
	syntax.GreaterEqual: {nil, nil, isBool},
	syntax.Equal:        {nil, nil, isBool},
	syntax.NotEqual:     {nil, nil, isBool},
}
