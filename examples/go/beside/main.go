// Beside compares the SHA-256 of a thousand messages with Go's crypto/sha256 and minio's sha256-simd: every digest is compared, then each
// goes in turns, and the least time of all rounds counts. Ours are a batch that was filled as messages came, and slices that are copied into one;
// both with the call of C.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"math/rand"
	"os"
	"runtime"
	"time"
	"unsafe"

	minio "github.com/minio/sha256-simd"
	manyhash "manyhash.example/go"
)

const count = 1000

// A peer hashes all messages one after the other.
type peer struct {
	name string
	sum  func(messages [][]byte) [][32]byte
}

func oneByOne(sum func([]byte) [32]byte) func([][]byte) [][32]byte {
	return func(messages [][]byte) [][32]byte {
		digests := make([][32]byte, len(messages))
		for i, message := range messages {
			digests[i] = sum(message)
		}
		return digests
	}
}

// Minio's server of AVX-512 has a goroutine that collects blocks of up to sixteen clients, which are goroutines, too.
func byServer(server *minio.Avx512Server) func([][]byte) [][32]byte {
	return func(messages [][]byte) [][32]byte {
		digests := make([][32]byte, len(messages))
		const clients = 16
		finished := make(chan struct{}, clients)
		for client := 0; client < clients; client++ {
			go func() {
				var hasher hash.Hash = minio.NewAvx512(server)
				for i := client; i < len(messages); i += clients {
					hasher.Reset()
					hasher.Write(messages[i])
					hasher.Sum(digests[i][:0])
				}
				finished <- struct{}{}
			}()
		}
		for client := 0; client < clients; client++ {
			<-finished
		}
		return digests
	}
}

func main() {
	rounds := flag.Int("rounds", 200, "rounds of each")
	server := flag.Bool("server", false, "minio's server of AVX-512, too: it needs AVX-512")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	var batch manyhash.Batch
	peers := []peer{
		{"batch", func(messages [][]byte) [][32]byte {
			digests := make([]byte, 32*len(messages))
			if err := batch.Sum(manyhash.SHA256, digests, 1); err != nil {
				panic(err)
			}
			return unsafe.Slice((*[32]byte)(digests), len(messages))
		}},
		{"slices", manyhash.Sum256},
		{"crypto/sha256", oneByOne(sha256.Sum256)},
		{"minio/sha256-simd", oneByOne(minio.Sum256)},
	}
	if *server {
		peers = append(peers, peer{"minio's server", byServer(minio.NewAvx512Server())})
	}
	fmt.Printf("%s; %d messages a call, ns a message, least of %d rounds in turns; times as fast\n", runtime.Version(), count, *rounds)
	random := rand.New(rand.NewSource(1))
	for _, sizes := range []struct {
		name string
		of   func() int
	}{
		{"64 B", func() int { return 64 }},
		{"256 B", func() int { return 256 }},
		{"1 KiB", func() int { return 1024 }},
		{"4 KiB", func() int { return 4096 }},
		{"64 B to 4 KiB", func() int { return 64 + random.Intn(4096-64+1) }},
	} {
		messages := make([][]byte, count)
		batch.Reset()
		for i := range messages {
			messages[i] = make([]byte, sizes.of())
			random.Read(messages[i])
			batch.Append(messages[i])
		}
		best := make([]time.Duration, len(peers))
		for round := 0; round < *rounds; round++ {
			for i, peer := range peers {
				begin := time.Now()
				digests := peer.sum(messages)
				took := time.Since(begin)
				if round == 0 || took < best[i] {
					best[i] = took
				}
				for j := range digests {
					if round == 0 && digests[j] != sha256.Sum256(messages[j]) {
						fmt.Fprintln(os.Stderr, "beside: wrong digests by", peer.name)
						os.Exit(1)
					}
				}
			}
		}
		fmt.Printf("%-14s", sizes.name)
		for i, peer := range peers {
			fmt.Printf("  %s %.0f", peer.name, float64(best[i].Nanoseconds())/count)
			if i > 0 {
				fmt.Printf(" (%.2f)", float64(best[i])/float64(best[0]))
			}
		}
		fmt.Println()
	}
}
