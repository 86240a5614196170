import Determinism
import Synchronization

/// What a made-up payment is made of: numbers and bytes, drawn at random or cut out of given bytes.
final class Choices: Sendable {
    private let draw: @Sendable (Int) -> [UInt8]

    init(_ random: any RandomSource) { draw = random.bytes }

    /// Zeros follow the last byte; zero stands for what is usual wherever there is a choice.
    init(_ bytes: [UInt8]) {
        let rest = Rest(bytes)
        draw = rest.take
    }

    /// A number of 0..<count; `count` is 1...65,536.
    func number(below count: Int) -> Int {
        draw(count <= 256 ? 1 : 2).reduce(0) { $0 << 8 | Int($1) } % count
    }

    /// One of several, at least one.
    func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// True in one of `count` cases, and never after the last byte.
    func happens(oneIn count: Int) -> Bool { number(below: count) == count - 1 }

    func bytes(_ count: Int) -> [UInt8] { draw(count) }

    private final class Rest: Sendable {
        private let bytes: Mutex<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes[...]) }

        @Sendable func take(_ count: Int) -> [UInt8] {
            bytes.withLock { bytes in
                let taken = bytes.prefix(count)
                bytes = bytes.dropFirst(count)
                return taken + [UInt8](repeating: 0, count: count - taken.count)
            }
        }
    }
}
