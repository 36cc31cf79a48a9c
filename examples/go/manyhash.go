// Package manyhash has the digests of many messages in one call, by the C library of manyhash.
//
// A call of C from Go costs some 50 ns, and memory that C reads must not move. So messages are put into one buffer, a [Batch], with
// their ends beside it, and the buffer is handed over once for all of them.
package manyhash

/*
#cgo pkg-config: manyhash
#include <manyhash.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"
)

// An Algorithm is a hash function. Its number is that of the C library.
type Algorithm uint32

// The hash functions of the C library that Go's standard library has, too.
const (
	MD5    Algorithm = C.MANYHASH_MD5
	SHA1   Algorithm = C.MANYHASH_SHA1
	SHA224 Algorithm = C.MANYHASH_SHA224
	SHA256 Algorithm = C.MANYHASH_SHA256
	SHA384 Algorithm = C.MANYHASH_SHA384
	SHA512 Algorithm = C.MANYHASH_SHA512
)

// Size returns the bytes of a digest, or 0 if there is no such algorithm.
func (a Algorithm) Size() int {
	return int(C.manyhash_digest_size(C.manyhash_algorithm(a)))
}

// A Batch is messages one after the other in one buffer. Its zero value is empty and ready; one that is reset keeps its memory.
type Batch struct {
	values  []byte
	offsets []int64
}

// Append copies a message to the end of the batch.
func (b *Batch) Append(message []byte) {
	if len(b.offsets) == 0 {
		b.offsets = append(b.offsets, 0)
	}
	b.values = append(b.values, message...)
	b.offsets = append(b.offsets, int64(len(b.values)))
}

// Extend appends a message of n bytes and returns the room for it, which is there until the next message comes: what reads from a file or a
// connection can put its bytes there, so that they are not copied.
func (b *Batch) Extend(n int) []byte {
	if len(b.offsets) == 0 {
		b.offsets = append(b.offsets, 0)
	}
	begin := len(b.values)
	b.values = slices.Grow(b.values, n)[:begin+n]
	b.offsets = append(b.offsets, int64(len(b.values)))
	return b.values[begin:]
}

// Len returns the number of messages.
func (b *Batch) Len() int {
	return max(len(b.offsets)-1, 0)
}

// Reset makes the batch empty.
func (b *Batch) Reset() {
	b.values, b.offsets = b.values[:0], b.offsets[:0]
}

// Sum writes the digests of all messages to digests, one after the other in their order. It computes on the calling thread and up to
// threads-1 others; 0 is a thread for each core. It panics if digests has fewer or more bytes than that.
func (b *Batch) Sum(algorithm Algorithm, digests []byte, threads int) error {
	size := algorithm.Size()
	switch {
	case size == 0:
		return fmt.Errorf("manyhash: there is no algorithm %d", algorithm)
	case threads < 0:
		return errors.New("manyhash: threads must not be negative")
	case len(digests) != b.Len()*size:
		panic(fmt.Sprintf("manyhash: room for %d bytes of digests, and there are %d", len(digests), b.Len()*size))
	case b.Len() == 0:
		return nil
	}
	// Neither buffer has pointers, so both may be handed to C as they are, and stay where they are during the call.
	status := C.manyhash_hash_contiguous(
		C.manyhash_algorithm(algorithm),
		unsafe.Pointer(unsafe.SliceData(b.values)),
		(*C.int64_t)(unsafe.SliceData(b.offsets)),
		C.size_t(b.Len()),
		(*C.uint8_t)(unsafe.SliceData(digests)),
		C.uint(threads),
	)
	if status != C.MANYHASH_OK {
		return errors.New("manyhash: " + C.GoString(C.manyhash_message(status)))
	}
	return nil
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// Sum256 returns the SHA-256 digest of each message, in the order of the messages, computed on the calling thread.
func Sum256(messages [][]byte) [][32]byte {
	digests := make([][32]byte, len(messages))
	if len(messages) == 0 {
		return digests
	}
	batch := batches.Get().(*Batch)
	defer batches.Put(batch)
	batch.Reset()
	for _, message := range messages {
		batch.Append(message)
	}
	room := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(digests))), 32*len(digests))
	if err := batch.Sum(SHA256, room, 1); err != nil {
		panic(err) // a defect: nothing that a caller may do leads here
	}
	return digests
}
