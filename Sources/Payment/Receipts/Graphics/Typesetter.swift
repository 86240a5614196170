import CCairo

/// Lays out text with Pango: in any script of the installed fonts, in both directions.
///
/// Layouts are cached, because receipts share their labels. Use it from one thread at a time.
final class Typesetter {
    /// The style of texts.
    struct Style {
        /// The preferred font families.
        let families: String
        /// Whether glyphs are hinted for pixels.
        let isForDots: Bool
        /// The line spacing, as a multiple of the font size.
        let leading: Double
    }

    /// The source of Pango's font map.
    enum Fonts {
        /// The font map of the thread, with its cached glyphs. The caller must not suspend while using it.
        case ofThread
        /// A font map that belongs to the typesetter.
        case own
    }

    private struct Key: Hashable {
        let text: String
        let size: Double
        let isStrong: Bool
        let width: Double?
    }

    private static let cacheLimit = 512

    private let functions: ccairo_functions
    private let context: OpaquePointer
    private let style: Style
    private var cache: [Key: SetText] = [:]
    /// The number of characters without a font so far.
    private(set) var missingGlyphs = 0

    /// - Parameters:
    ///   - functions: The functions of the loaded library.
    ///   - locale: Determines the direction, and the forms of Chinese characters.
    ///   - style: The style of all texts.
    ///   - fonts: The source of the font map.
    init(_ functions: ccairo_functions, locale: ReceiptLocale, style: Style, fonts: Fonts = .ofThread) {
        (self.functions, self.style) = (functions, style)
        switch fonts {
        case .ofThread:
            context = functions.pango_font_map_create_context(functions.pango_cairo_font_map_get_default())
        case .own:
            let map = functions.pango_cairo_font_map_new()
            context = functions.pango_font_map_create_context(map)
            // The context retains it.
            functions.g_object_unref(UnsafeMutableRawPointer(map))
        }
        // PANGO_DIRECTION_LTR is 0, PANGO_DIRECTION_RTL 1.
        functions.pango_context_set_base_dir(context, locale.isRightToLeft ? 1 : 0)
        functions.pango_context_set_language(context, functions.pango_language_from_string(locale.code))
        let options = functions.cairo_font_options_create()
        // CAIRO_HINT_STYLE_NONE is 1, CAIRO_HINT_STYLE_FULL 4; CAIRO_HINT_METRICS_OFF is 1.
        functions.cairo_font_options_set_hint_style(options, style.isForDots ? 4 : 1)
        functions.cairo_font_options_set_hint_metrics(options, 1)
        functions.pango_cairo_context_set_font_options(context, options)
        functions.cairo_font_options_destroy(options)
    }

    deinit { functions.g_object_unref(UnsafeMutableRawPointer(context)) }

    /// Lays out a text.
    ///
    /// - Parameters:
    ///   - text: The text, without control characters.
    ///   - size: The font size, in units of the surface.
    ///   - isStrong: Whether the text is bold.
    ///   - width: The width at which lines wrap; nil for a single line.
    /// - Returns: A layout that can be measured and drawn.
    func set(_ text: String, size: Double, isStrong: Bool = false, width: Double? = nil) -> SetText {
        let key = Key(text: text, size: size, isStrong: isStrong, width: width)
        let set = cache[key] ?? setAnew(key)
        missingGlyphs += set.missingGlyphs
        return set
    }

    private func setAnew(_ key: Key) -> SetText {
        var set = SetText(layout(key, key.text), size: key.size, leading: style.leading, functions)
        if set.missingGlyphs > 0 {
            // An emoji without a glyph is left out; a letter without a glyph is drawn as a box.
            let text = key.text.withoutEmoji
            if text != key.text {
                set = SetText(
                    layout(key, text), size: key.size, leading: style.leading, missingGlyphs: set.missingGlyphs,
                    functions)
            }
        }
        if cache.count == Self.cacheLimit { cache.removeAll(keepingCapacity: true) }
        cache[key] = set
        return set
    }

    private func layout(_ key: Key, _ text: String) -> OpaquePointer {
        let layout = functions.pango_layout_new(context)
        let font = functions.pango_font_description_new()
        functions.pango_font_description_set_family(font, style.families)
        functions.pango_font_description_set_weight(font, key.isStrong ? 700 : 400)
        functions.pango_font_description_set_absolute_size(font, key.size * SetText.scale)
        functions.pango_layout_set_font_description(layout, font)
        functions.pango_font_description_free(font)
        // The locale determines the direction, not the first character.
        functions.pango_layout_set_auto_dir(layout, 0)
        if let width = key.width {
            functions.pango_layout_set_width(layout, Int32(max(1, width) * SetText.scale))
            // PANGO_WRAP_WORD_CHAR
            functions.pango_layout_set_wrap(layout, 2)
        }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return }
                functions.pango_layout_set_text(layout, start, Int32(clamping: characters.count))
            }
        }
        return layout
    }
}

extension String {
    fileprivate var withoutEmoji: String {
        let characters = filter { character in
            !character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
        }
        return characters.split(separator: " ").joined(separator: " ")
    }
}

/// A laid out text, which has a size and can be drawn.
///
/// Its line spacing is fixed, independent of the fonts of its characters, so that a receipt has the same layout on
/// every machine.
final class SetText {
    /// Pango units per unit of the surface (PANGO_SCALE).
    static let scale = 1024.0

    /// The alignment of lines within a width.
    enum Alignment {
        case left, center, right
    }

    private let layout: OpaquePointer
    private let functions: ccairo_functions
    private let lines: [(line: OpaquePointer, width: Double)]
    private let lineHeight: Double
    /// The distance from the top of a line to its baseline.
    private let ascent: Double
    /// The number of characters without a font.
    let missingGlyphs: Int
    /// The width of the widest line, in units of the surface.
    let width: Double
    /// The height of all lines, in units of the surface.
    var height: Double { lineHeight * Double(lines.count) }

    /// - Parameters:
    ///   - layout: The Pango layout, released with this object.
    ///   - size: The font size, in units of the surface.
    ///   - leading: The line spacing, as a multiple of the font size.
    ///   - missingGlyphs: The number of characters without a font, when some of them were left out.
    ///   - functions: The functions of the loaded library.
    init(
        _ layout: OpaquePointer, size: Double, leading: Double, missingGlyphs: Int? = nil,
        _ functions: ccairo_functions
    ) {
        (self.layout, self.functions) = (layout, functions)
        lineHeight = size * leading
        // Centers capital letters, which are about three quarters of the font size high.
        ascent = (lineHeight + size * 0.72) / 2
        lines = (0..<functions.pango_layout_get_line_count(layout)).compactMap { index in
            guard let line = functions.pango_layout_get_line_readonly(layout, index) else { return nil }
            var extents = cpango_rectangle()
            functions.pango_layout_line_get_extents(line, nil, &extents)
            return (line, Double(extents.width) / Self.scale)
        }
        self.missingGlyphs = missingGlyphs ?? Int(functions.pango_layout_get_unknown_glyphs_count(layout))
        width = lines.reduce(0) { max($0, $1.width) }
    }

    deinit { functions.g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Draws the text with its top left corner at this position, and aligns each line within the width.
    func draw(on context: OpaquePointer, x: Double, y: Double, width: Double = 0, alignment: Alignment = .left) {
        var baseline = y + ascent
        for line in lines {
            let room =
                switch alignment {
                case .left: 0.0
                case .center: (width - line.width) / 2
                case .right: width - line.width
                }
            functions.cairo_move_to(context, x + room, baseline)
            functions.pango_cairo_show_layout_line(context, line.line)
            baseline += lineHeight
        }
    }
}
