//! The finalists of the SHA-3 competition: BLAKE and Keccak, which both papers of 2012 and 2013
//! discuss, and Skein, JH and Grøstl. They are here in linear code, by other people's crates, and in lanes, on
//! the engine's own trait and under its schedule.

mod blake;
pub mod function;
mod groestl;
mod jh;
pub mod linear;
mod skein;

#[cfg(test)]
mod tests {
    use super::blake::count;
    use super::function::Function;
    use manyhash_measure::Random;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn random(bytes: usize) -> Vec<u8> {
        let mut message = vec![0; bytes];
        Random::new(bytes as u64).fill(&mut message);
        message
    }

    /// Checks a digest by `linear`, which is not this project's, and by every lane of every kernel.
    fn check_vector(function: &Function, message: &[u8], expected: &str) {
        let mut digest = Vec::new();
        (function.linear)(message, &mut digest);
        assert_eq!(hex(&digest), expected);
        for kernel in &function.kernels {
            let mut digests = Vec::new();
            kernel.hash_many(&vec![message; kernel.lanes], &mut digests);
            assert_eq!(hex(&digests), expected.repeat(kernel.lanes), "{}", kernel.backend);
        }
    }

    /// These digests are in the tests of other implementations too: blake-hash has those of 1 and
    /// 72 bytes by BLAKE-256 among them.
    #[test]
    fn known_digests_of_blake_come_out() {
        let check = |message: &[u8], expected| check_vector(&Function::blake256(), message, expected);
        check(&[], "716f6e863f744b9ac22c97ec7b76ea5f5908bc5b2f67c61510bfc4751384ea7a");
        check(&[0], "0ce8d4ef4dd7cd8d62dfded9d4edb0a774ae6a41929a74da23109e8f11139c87");
        check(&[0; 72], "d419bad32d504fb7d44d460c42c5593fe544fa4c135dec31e21bd9abdcc22d41");
        let check = |message: &[u8], expected| check_vector(&Function::blake512(), message, expected);
        check(
            &[0],
            "97961587f6d970faba6d2478045de6d1fabd09b61ae50932054d52bc29d31be4ff9102b9f69e2bbdb83be13d4b9c06091e5fa0b48bd081b634058be0ec49beb3",
        );
        check(
            &[0; 144],
            "313717d608e9cf758dcb1eb0f0c3cf9fc150b2d500fb33f51c52afc99d358a2f1374b8a38bba7974e7f6ef79cab16f22ce1e649d6e01ad9589c213045d545dde",
        );
    }

    /// These digests are in other implementations' tests; figure 2012-finalists compares with OpenSSL, a third opinion.
    #[test]
    fn known_digests_of_keccak_and_sha3_come_out() {
        let check = |message: &[u8], expected| check_vector(&Function::keccak256(), message, expected);
        check(b"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
        check(b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
        let check = |message: &[u8], expected| check_vector(&Function::sha3_256(), message, expected);
        check(b"", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
        check(b"abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
    }

    /// These are the answers of the submissions to the first messages of their short ones, and of Skein's to the first
    /// of its examples.
    #[test]
    fn known_digests_of_skein_jh_and_groestl_come_out() {
        let check = |message: &[u8], expected| check_vector(&Function::skein512(), message, expected);
        check(
            b"",
            "bc5b4c50925519c290cc634277ae3d6257212395cba733bbad37a4af0fa06af41fca7903d06564fea7a2d3730dbdb80c1f85562dfcc070334ea4d1d9e72cba7a",
        );
        check(
            &[0xFF],
            "71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8ca698d864307ed3e80b6ef1570812ac5272dc409b5a012df2a579102f340617a",
        );
        let check = |message: &[u8], expected| check_vector(&Function::jh256(), message, expected);
        check(b"", "46e64619c18bb0a92a5e87185a47eef83ca747b8fcc8e1412921357e326df434");
        check(&[0xCC], "7b1191f13a2667830142541bfc5918543d2a434c7692e70c3e5e9bbdddb7f581");
        check(&[0x41, 0xFB], "ef3eeeae2d2457db084f2a933647d9e77a476eb4e58569a18ad4ba55754f9034");
        let check = |message: &[u8], expected| check_vector(&Function::groestl256(), message, expected);
        check(b"", "1a52d11d550039be16107f9c58db9ebcc417f16f736adb2502567119f0083467");
        check(&[0xCC], "15e2671f0eaf66c0de3093ab7b1e39dc68f945d7002fc5dfd52d60527e7228d1");
        check(&[0x41, 0xFB], "846f1c22fc62b770de1782ef33414aa5baa44b690ebfb7d1bdcca8d2ac59c929");
    }

    /// Checks all lengths around the edges of three blocks, with messages of equal length that all
    /// differ, and with ragged ones.
    fn check_lengths(function: &Function) {
        let messages: Vec<Vec<u8>> = (0..3 * 136 + 2).map(random).collect();
        let expected: Vec<Vec<u8>> = messages
            .iter()
            .map(|message| {
                let mut digest = Vec::new();
                (function.linear)(message, &mut digest);
                digest
            })
            .collect();
        for kernel in &function.kernels {
            let ragged: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let mut digests = Vec::new();
            kernel.hash_many(&ragged, &mut digests);
            assert!(digests == expected.concat(), "{}: neighbours in length", kernel.backend);
            // Long messages are beside short ones.
            let order: Vec<usize> = (0..messages.len()).map(|i| i * 61 % messages.len()).collect();
            let shuffled: Vec<&[u8]> = order.iter().map(|i| messages[*i].as_slice()).collect();
            digests.clear();
            kernel.hash_many(&shuffled, &mut digests);
            let expected: Vec<u8> = order.iter().flat_map(|i| expected[*i].clone()).collect();
            assert!(digests == expected, "{}: long beside short", kernel.backend);
        }
    }

    #[test]
    fn every_length_around_the_edges_of_blocks_is_hashed_beside_any_other() {
        check_lengths(&Function::blake256());
        check_lengths(&Function::blake512());
        check_lengths(&Function::keccak256());
        check_lengths(&Function::sha3_256());
        check_lengths(&Function::skein512());
        check_lengths(&Function::jh256());
        check_lengths(&Function::groestl256());
    }

    /// Checks dealing out by its definition: word i goes to slice i modulo the number of slices.
    fn check_dealt(function: &Function, block_bytes: usize) {
        for kernel in &function.kernels {
            let row_bytes = kernel.lanes * function.word_bytes;
            let near = |bytes: usize| bytes.saturating_sub(2)..bytes + 3;
            let block = kernel.lanes * block_bytes;
            let edges = [0, row_bytes, block / 2, block - 2 * row_bytes, block - row_bytes, block, 2 * block - row_bytes, 3 * block];
            for bytes in edges.into_iter().flat_map(near) {
                let message = random(bytes);
                let mut slices = vec![Vec::new(); kernel.lanes];
                for (i, word) in message.chunks(function.word_bytes).enumerate() {
                    slices[i % kernel.lanes].extend_from_slice(word);
                }
                let (mut expected, mut digests) = (Vec::new(), Vec::new());
                slices.iter().for_each(|slice| (function.linear)(slice, &mut expected));
                kernel.hash_dealt(&message, &mut digests);
                assert!(digests == expected, "{} {bytes} bytes", kernel.backend);
            }
        }
    }

    #[test]
    fn a_message_that_is_dealt_out_has_the_digests_of_its_slices() {
        check_dealt(&Function::blake256(), 64);
        check_dealt(&Function::blake512(), 128);
        check_dealt(&Function::keccak256(), 136);
        check_dealt(&Function::sha3_256(), 136);
        check_dealt(&Function::skein512(), 64);
        check_dealt(&Function::jh256(), 64);
        check_dealt(&Function::groestl256(), 64);
    }

    #[test]
    fn blake_counts_the_bits_of_very_long_messages_in_two_words() {
        let long = (1 << 32) + 5;
        assert_eq!(count(long, long / 64, 64), (8 << 32) + 40);
        assert_eq!(count(long, (1 << 23) - 1, 64), 1 << 32);
        assert_eq!(count(long, 1 + long / 64, 64), 0);
        assert_eq!(count(u64::MAX, (1 << 57) - 1, 128), 8 * u128::from(u64::MAX));
    }
}
