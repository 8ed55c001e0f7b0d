package eval

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math"

	"clave/server/internal/model/value"
)

// mathAbs is math.abs(n).
func mathAbs(args []Value) Value {
	switch n := args[0].(type) {
	case value.Int:
		if n < 0 {
			return -n // the absolute value of the least int is itself, as in the official engine
		}
	case value.Double:
		return value.Double(math.Abs(float64(n)))
	}
	return args[0]
}

// mathCeil is math.ceil(n), which is a float even for an int.
func mathCeil(args []Value) Value { return value.Double(math.Ceil(toFloat(args[0]))) }

// mathFloor is math.floor(n), which is a float even for an int.
func mathFloor(args []Value) Value { return value.Double(math.Floor(toFloat(args[0]))) }

// mathRound is math.round(n), an int; halves go up.
func mathRound(args []Value) Value {
	f := toFloat(args[0])
	floor := math.Floor(f)
	if f-floor >= 0.5 {
		floor++
	}
	return value.Int(truncate(floor))
}

// mathSqrt is math.sqrt(n).
func mathSqrt(args []Value) Value { return value.Double(math.Sqrt(toFloat(args[0]))) }

// mathIsNaN is math.isNaN(n).
func mathIsNaN(args []Value) Value { return value.Bool(math.IsNaN(toFloat(args[0]))) }

// mathPow is math.pow(x, y).
func mathPow(args []Value) Value {
	return value.Double(math.Pow(toFloat(args[0]), toFloat(args[1])))
}

// bytesOf returns the bytes of a string or bytes value.
func bytesOf(v Value) []byte {
	switch x := v.(type) {
	case value.String:
		return []byte(x)
	case value.Bytes:
		return []byte(x)
	}
	return nil
}

// hashMD5 is hashing.md5(b).
func hashMD5(args []Value) Value {
	sum := md5.Sum(bytesOf(args[0])) // the language has this function; nothing here relies on it
	return value.Bytes(sum[:])
}

// hashSHA256 is hashing.sha256(b).
func hashSHA256(args []Value) Value {
	sum := sha256.Sum256(bytesOf(args[0]))
	return value.Bytes(sum[:])
}

// hashCRC32 is hashing.crc32(b), in little-endian order.
func hashCRC32(args []Value) Value {
	return value.Bytes(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(bytesOf(args[0]))))
}

// hashCRC32C is hashing.crc32c(b), in little-endian order.
func hashCRC32C(args []Value) Value {
	sum := crc32.Checksum(bytesOf(args[0]), crc32.MakeTable(crc32.Castagnoli))
	return value.Bytes(binary.LittleEndian.AppendUint32(nil, sum))
}
