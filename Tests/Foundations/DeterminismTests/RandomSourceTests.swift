import Determinism
import Testing

struct RandomSourceTests {
    @Test func `the same seed gives the same bytes`() {
        // The first number of SplitMix64 for seed 0 is E220A8397B1DCDAF, least significant byte first.
        #expect(SeededRandomSource(seed: 0).bytes(8) == [0xAF, 0xCD, 0x1D, 0x7B, 0x39, 0xA8, 0x20, 0xE2])
        #expect(SeededRandomSource(seed: 7).bytes(40) == SeededRandomSource(seed: 7).bytes(40))
        #expect(SeededRandomSource(seed: 7).bytes(40) != SeededRandomSource(seed: 8).bytes(40))
        #expect(SeededRandomSource(seed: 7).bytes(-1).isEmpty)
    }

    @Test func `a stream depends on seed and label, not on what others drew`() {
        let fresh = SeededRandomSource(seed: 7)
        let used = SeededRandomSource(seed: 7)
        _ = used.bytes(100)
        #expect(fresh.stream("card").bytes(16) == used.stream("card").bytes(16))
        #expect(fresh.stream("card").bytes(16) != fresh.stream("host").bytes(16))
        #expect(fresh.stream("card").bytes(16) != SeededRandomSource(seed: 8).stream("card").bytes(16))
    }

    @Test func `a stream's stream of the same label is not the first source again`() {
        let source = SeededRandomSource(seed: 7)
        let inner = source.stream("card").stream("card").bytes(16)
        #expect(inner != SeededRandomSource(seed: 7).bytes(16))
        #expect(inner != source.stream("card").bytes(16))
        #expect(source.stream("a").stream("b").bytes(16) != source.stream("b").stream("a").bytes(16))
    }

    @Test func `numbers fill their range and stay in it`() {
        let source = SeededRandomSource(seed: 1)
        var counts = [UInt32: Int]()
        for _ in 0..<6000 { counts[source.number(in: 10...15), default: 0] += 1 }
        #expect(Set(counts.keys) == Set(10...15))
        #expect(counts.values.allSatisfy { (850...1150).contains($0) })
        #expect(source.number(in: 5...5) == 5)
        _ = source.number(in: 0...UInt32.max)
    }

    @Test func `the system's bytes are not repeated`() {
        let source = SystemRandomSource()
        #expect(source.bytes(32).count == 32)
        #expect(source.bytes(32) != source.stream("x").bytes(32))
        #expect(source.bytes(-1).isEmpty)
    }
}
