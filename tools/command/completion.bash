# Bash completion for vmaf.
_vmaf() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    # --name=value is split into three words: the name, "=" and the value.
    if [[ $word == "=" ]]; then word=""; elif [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    COMPREPLY=()
    local choices=""
    case $before in
        -r | --reference | -d | --distorted | -o | --output | --list | --ndjson | --map | --regions)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return ;;
        -p | --pixel_format) choices="420 422 444 400" ;;
        -b | --bitdepth) choices="8 10 12 16" ;;
        --backend) choices=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^ *--backend \([a-z|]*\) .*/\1/p' | tr '|' ' ') ;;
        --precision) choices="6 9 17 max full legacy" ;;
        --percentiles) choices="1,5,50" ;;
        --align) choices="auto none check" ;;
        --pair) choices="time index" ;;
        --missing) choices="skip repeat" ;;
        --scaler) choices="bicubic bilinear lanczos spline area nearest" ;;
        --range) choices="convert ignore" ;;
        --crop) choices="none auto" ;;
        --film_grain) choices="keep drop" ;;
        --hwaccel) choices="auto none cuda vaapi" ;;
        --mismatch) choices="refuse warn" ;;
        --map-cell) choices="16 32 64 128" ;;
        --threads | --jobs) choices="auto 1 2 4 8 16" ;;
        --aom_ctc) choices="v1.0 v2.0 v3.0 v4.0 v5.0 v6.0 v7.0" ;;
        --nflx_ctc) choices="v1.0" ;;
        --feature) choices=$("${COMP_WORDS[0]}" --list_features 2>/dev/null | awk '/^$/ { exit } /^[a-z]/ { print $1 }') ;;
        -m | --model)
            choices="auto path= "$("${COMP_WORDS[0]}" --list_models 2>/dev/null | awk '/^$/ { exit } { print "version=" $1 }') ;;
        --map-of | --region | -w | --width | -h | --height | -c | --cpumask | --gpumask | --subsample | --frame_cnt | --frame_skip_ref | \
            --frame_skip_dist | --sycl_device | --hip_device | --metal_device)
            return ;;
        *) choices="--reference --distorted --width --height --pixel_format --bitdepth --model --feature --output --xml
            --json --csv --sub --threads --subsample --cpumask --gpumask --frame_cnt --frame_skip_ref --frame_skip_dist
            --aom_ctc --nflx_ctc --no_prediction --quiet --version --precision --percentiles --ndjson --map --map-of --map-cell --region --regions --backend --cuda --no_cuda --no_sycl
            --no_hip --no_metal --sycl_device --hip_device --metal_device --list --jobs --strict_length --align --pair --missing --scaler
            --range --crop --deinterlace --film_grain --hwaccel --mismatch --serve --capabilities --list_models --list_features --help" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}
complete -o default -F _vmaf vmaf
