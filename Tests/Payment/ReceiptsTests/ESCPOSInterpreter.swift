import Printing
import Receipts
import Text

/// What a printer would put on paper: a small part of what Epson's and Star's printers understand.
struct ESCPOSInterpreter {
    enum Part: Equatable {
        /// A line of letters, and whether they are bold or tall.
        case line(String, isStrong: Bool, isTall: Bool)
        /// Dots: columns of bytes, and the rows.
        case dots(bytesPerRow: Int, rows: [UInt8])
        /// A QR code, and how many dots a module has.
        case code(String, dots: Int, isCentered: Bool)
        case barcode(String, dots: Int, isCentered: Bool)
        case cut(PaperCut)
        case drawer
    }

    struct Misunderstood: Error, Equatable { var offset: Int }

    private let family: PrinterFamily
    private let bytes: [UInt8]
    private var offset = 0
    private var page: CodePage?
    private var line = ""
    private var (isStrong, isTall) = (false, false)
    private var code: [UInt8] = []
    private var (codeDots, barDots, isCentered) = (0, 0, false)
    private(set) var parts: [Part] = []

    init(_ bytes: [UInt8], _ family: PrinterFamily) throws {
        (self.bytes, self.family) = (bytes, family)
        while offset < bytes.count { try step() }
        guard line.isEmpty else { throw Misunderstood(offset: offset) }
    }

    /// The lines of letters.
    var text: [String] {
        parts.compactMap { if case .line(let text, _, _) = $0 { text } else { nil } }
    }

    private mutating func next() throws -> UInt8 {
        guard bytes.indices.contains(offset) else { throw Misunderstood(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    private mutating func next(_ count: Int) throws -> [UInt8] {
        guard count >= 0, bytes.count - offset >= count else { throw Misunderstood(offset: offset) }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    private mutating func expect(_ expected: [UInt8]) throws {
        let start = offset
        guard try next(expected.count) == expected else { throw Misunderstood(offset: start) }
    }

    private mutating func step() throws {
        let start = offset
        let byte = try next()
        switch (byte, family) {
        case (0x0A, _):
            parts.append(.line(line, isStrong: isStrong, isTall: isTall))
            line = ""
        case (0x1B, .epson): try epsonEscape(start)
        case (0x1D, .epson): try epsonGroup(start)
        case (0x1B, .star): try starEscape(start)
        case (0x07, .star): parts.append(.drawer)
        case (0x20...0x7E, _): line.unicodeScalars.append(Unicode.Scalar(byte))
        case (0x80..., _):
            guard let scalar = page?.scalar(of: byte) else { throw Misunderstood(offset: start) }
            line.unicodeScalars.append(scalar)
        default: throw Misunderstood(offset: start)
        }
    }

    private mutating func epsonEscape(_ start: Int) throws {
        switch try next() {
        case 0x40: (page, isStrong, isTall, isCentered) = (nil, false, false, false)
        case 0x52: try expect([0])
        case 0x74:
            guard let selected = family.codePage(try next()) else { throw Misunderstood(offset: start) }
            page = selected
        case 0x45: isStrong = try next() == 1
        case 0x61: isCentered = try next() == 1
        case 0x70:
            _ = try next(3)
            parts.append(.drawer)
        default: throw Misunderstood(offset: start)
        }
    }

    private mutating func epsonGroup(_ start: Int) throws {
        switch try next() {
        case 0x21: isTall = try next() == 1
        case 0x68, 0x48: _ = try next()
        case 0x77: barDots = Int(try next())
        case 0x6B:
            try expect([73])
            let data = try next(Int(try next()))
            guard data.starts(with: Array("{B".utf8)) else { throw Misunderstood(offset: start) }
            let text = String(decoding: data.dropFirst(2), as: UTF8.self).replacing("{{", with: "{")
            parts.append(.barcode(text, dots: barDots, isCentered: isCentered))
        case 0x56:
            switch try next(2) {
            case [65, 0]: parts.append(.cut(.full))
            case [66, 0]: parts.append(.cut(.partial))
            default: throw Misunderstood(offset: start)
            }
        case 0x76:
            try expect([0x30, 0])
            let size = try next(4).map(Int.init)
            let width = size[0] + size[1] << 8
            parts.append(.dots(bytesPerRow: width, rows: try next(width * (size[2] + size[3] << 8))))
        case 0x28:
            try expect([0x6B])
            let length = try next(2).map(Int.init)
            let body = try next(length[0] + length[1] << 8)
            guard body.count >= 3, body[0] == 49 else { throw Misunderstood(offset: start) }
            switch body[1] {
            case 65, 69: break
            case 67: codeDots = Int(body[2])
            case 80: code = Array(body[3...])
            case 81:
                parts.append(
                    .code(String(decoding: code, as: UTF8.self), dots: codeDots, isCentered: isCentered))
            default: throw Misunderstood(offset: start)
            }
        default: throw Misunderstood(offset: start)
        }
    }

    private mutating func starEscape(_ start: Int) throws {
        switch try next() {
        case 0x40: (page, isStrong, isTall, isCentered) = (nil, false, false, false)
        case 0x52: try expect([0])
        case 0x45: isStrong = true
        case 0x46: isStrong = false
        case 0x68: isTall = try next() == 1
        case 0x07: _ = try next(2)
        case 0x62:
            try expect([0x36, 0x32])
            // Its widths are numbered: 1 is two dots.
            barDots = Int(try next()) - 0x30 + 1
            _ = try next()
            var data: [UInt8] = []
            while let byte = try Optional(next()), byte != 0x1E { data.append(byte) }
            let text = String(decoding: data, as: UTF8.self).replacing("%0", with: "%")
            parts.append(.barcode(text, dots: barDots, isCentered: isCentered))
        case 0x64:
            switch try next() {
            case 2: parts.append(.cut(.full))
            case 3: parts.append(.cut(.partial))
            default: throw Misunderstood(offset: start)
            }
        case 0x2A: try starRaster(start)
        case 0x1D: try starGroup(start)
        default: throw Misunderstood(offset: start)
        }
    }

    private mutating func starGroup(_ start: Int) throws {
        switch try next() {
        case 0x74:
            guard let selected = family.codePage(try next()) else { throw Misunderstood(offset: start) }
            page = selected
        case 0x61: isCentered = try next() == 1
        case 0x79:
            switch try next() {
            case 0x53:
                let setting = try next(2)
                if setting[0] == 0x32 { codeDots = Int(setting[1]) }
            case 0x44:
                try expect([0x31, 0])
                let length = try next(2).map(Int.init)
                code = try next(length[0] + length[1] << 8)
            case 0x50:
                parts.append(
                    .code(String(decoding: code, as: UTF8.self), dots: codeDots, isCentered: isCentered))
            default: throw Misunderstood(offset: start)
            }
        default: throw Misunderstood(offset: start)
        }
    }

    private mutating func starRaster(_ start: Int) throws {
        try expect([0x72, 0x41, 0x1B, 0x2A, 0x72, 0x50, 0x30, 0, 0x1B, 0x2A, 0x72, 0x45, 0x31, 0])
        var (width, rows) = (0, [UInt8]())
        while true {
            switch try next() {
            case 0x62:
                let size = try next(2).map(Int.init)
                width = size[0] + size[1] << 8
                rows += try next(width)
            case 0x1B:
                try expect([0x2A, 0x72, 0x42])
                return parts.append(.dots(bytesPerRow: width, rows: rows))
            default: throw Misunderstood(offset: start)
            }
        }
    }
}
