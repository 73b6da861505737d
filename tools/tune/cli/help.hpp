// The layout of --help: 80 columns, common options first.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace vmaf::tune {

std::shared_ptr<CLI::FormatterBase> help_formatter();

} // namespace vmaf::tune
