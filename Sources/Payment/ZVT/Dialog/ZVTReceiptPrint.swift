import Terminal

/// Turns receipts into print commands for the till: lines (06 D1) or blocks of text (06 D3).
struct ZVTReceiptPrint {
    let registration: ZVTRegistration

    private var characters: ZVTCharacters { registration.characters ?? .cp437 }

    /// Returns the commands of a receipt.
    func messages(of receipt: TerminalReceipt) -> [ZVTMessage] {
        registration.takesBlocks && registration.takesObjects ? blocks(of: receipt) : lines(of: receipt)
    }

    private static func attribute(_ line: TerminalReceipt.Line) -> UInt8 {
        (line.isCentered ? 0x40 : 0) | (line.isWide ? 0x20 : 0)
    }

    /// One command for each line, and one that says that the receipt ends.
    private func lines(of receipt: TerminalReceipt) -> [ZVTMessage] {
        let lines = receipt.lines.map { line in
            ZVTMessage(.printLine, head: [.attribute(Self.attribute(line)), .text(characters.bytes(of: line.text))])
        }
        return lines + [ZVTMessage(.printLine, head: [.attribute(0x81), .text([])])]
    }

    /// As many lines in a command as the till takes. The last command says that the receipt ends.
    private func blocks(of receipt: TerminalReceipt) -> [ZVTMessage] {
        // The bytes around the lines, and around each line.
        let (frame, around) = (32, 8)
        var (blocks, block, size) = ([[ZVTObject]](), [ZVTObject](), frame)
        for line in receipt.lines {
            let text = characters.bytes(of: line.text)
            if size + text.count + around > registration.longestMessage, !block.isEmpty {
                blocks.append(block)
                (block, size) = ([], frame)
            }
            let attribute = Self.attribute(line)
            if attribute != 0 { block.append(ZVTObject(0x09, [attribute])) }
            block.append(ZVTObject(0x07, text))
            size += text.count + around
        }
        blocks.append(block + [ZVTObject(0x09, [0xFF])])
        let kind: UInt8 =
            switch receipt.kind {
            case .merchant: 1
            case .customer: 2
            case .administration: 3
            }
        let result: UInt8 = (receipt.isPositive ? 0x01 : 0x04) | (receipt.needsSignature ? 0x02 : 0)
        return blocks.map { block in
            ZVTMessage(
                .printTextBlock,
                fields: [
                    ZVTField(objects: [
                        ZVTObject(0x1F07, [kind]), ZVTObject(0x1F37, [result]), ZVTObject(0x25, block),
                    ])
                ])
        }
    }
}
