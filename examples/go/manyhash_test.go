package manyhash

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"math/rand"
	"sync"
	"testing"
)

func messages(count int, seed int64) [][]byte {
	random := rand.New(rand.NewSource(seed))
	all := make([][]byte, count)
	for i := range all {
		all[i] = make([]byte, random.Intn(300)*(1+i%20/19*20))
		random.Read(all[i])
	}
	return all
}

func TestDigestsAreThoseOfTheStandardLibrary(t *testing.T) {
	peers := map[Algorithm]func() hash.Hash{
		MD5: md5.New, SHA1: sha1.New, SHA224: sha256.New224, SHA256: sha256.New, SHA384: sha512.New384, SHA512: sha512.New,
	}
	var batch Batch
	for algorithm, peer := range peers {
		for _, count := range []int{0, 1, 2, 17, 500} {
			for _, threads := range []int{1, 0} {
				batch.Reset()
				all := messages(count, int64(count))
				for i, message := range all {
					if i%2 == 0 {
						batch.Append(message)
					} else {
						copy(batch.Extend(len(message)), message)
					}
				}
				digests := make([]byte, count*algorithm.Size())
				if err := batch.Sum(algorithm, digests, threads); err != nil {
					t.Fatal(err)
				}
				for i, message := range all {
					one := peer()
					one.Write(message)
					if got := digests[i*algorithm.Size():][:algorithm.Size()]; !bytes.Equal(got, one.Sum(nil)) {
						t.Fatalf("algorithm %d, message %d of %d: %x", algorithm, i, count, got)
					}
				}
			}
		}
	}
}

func TestSum256FromManyGoroutines(t *testing.T) {
	var running sync.WaitGroup
	for seed := int64(0); seed < 8; seed++ {
		running.Add(1)
		go func() {
			defer running.Done()
			for round := 0; round < 20; round++ {
				all := messages(round*3, seed)
				for i, digest := range Sum256(all) {
					if digest != sha256.Sum256(all[i]) {
						t.Errorf("message %d: %x", i, digest)
					}
				}
			}
		}()
	}
	running.Wait()
}

func TestWhatIsWrongIsRefused(t *testing.T) {
	var batch Batch
	batch.Append([]byte("abc"))
	if err := batch.Sum(Algorithm(1000), nil, 1); err == nil {
		t.Error("an algorithm that is none")
	}
	if err := batch.Sum(SHA256, make([]byte, 32), -1); err == nil {
		t.Error("negative threads")
	}
	defer func() {
		if recover() == nil {
			t.Error("room that does not fit")
		}
	}()
	_ = batch.Sum(SHA256, make([]byte, 31), 1)
}
