#compdef vmaf
# zsh completion for vmaf.
_vmaf_models() { compadd -- path= ${(f)"$(_call_program models vmaf --list_models 2>/dev/null | awk '/^$/ { exit } { print "version=" $1 }')"} }
_vmaf_features() { compadd -- ${(f)"$(_call_program features vmaf --list_features 2>/dev/null | awk '/^$/ { exit } /^[a-z]/ { print $1 }')"} }
_vmaf_backends() { compadd -- ${(s:|:)"$(_call_program backends vmaf --help 2>/dev/null | sed -n 's/^ *--backend \([a-z|]*\) .*/\1/p')"} }
_arguments -s \
  '(-r --reference)'{-r+,--reference=}'[reference clip]:file:_files' \
  '(-d --distorted)'{-d+,--distorted=}'[distorted clip]:file:_files' \
  '(-w --width)'{-w+,--width=}'[width of raw clips]:value: ' \
  '(-h --height)'{-h+,--height=}'[height of raw clips]:value: ' \
  '(-p --pixel_format)'{-p+,--pixel_format=}'[chroma format of raw clips]:value:(420 422 444 400)' \
  '(-b --bitdepth)'{-b+,--bitdepth=}'[bits per sample of raw clips]:value:(8 10 12 16)' \
  '*'{-m+,--model=}'[model to score with]:value:_vmaf_models' \
  '*--feature=[feature to measure]:value:_vmaf_features' \
  '(-o --output)'{-o+,--output=}'[document to write]:file:_files' \
  '--xml[XML document]' \
  '--json[JSON document]' \
  '--csv[CSV document]' \
  '--sub[subtitles]' \
  '--threads=[worker threads]:value:(auto 0 1 2 4 8 16)' \
  '--subsample=[score every n-th frame]:value: ' \
  '(-c --cpumask)'{-c+,--cpumask=}'[instruction sets not to use]:value: ' \
  '--gpumask=[restrict the GPU]:value: ' \
  '--frame_cnt=[stop after this many frames]:value: ' \
  '--frame_skip_ref=[reference frames to skip first]:value: ' \
  '--frame_skip_dist=[distorted frames to skip first]:value: ' \
  '--aom_ctc=[AOM common test conditions]:value:(v1.0 v2.0 v3.0 v4.0 v5.0 v6.0 v7.0)' \
  '--nflx_ctc=[Netflix common test conditions]:value:(v1.0)' \
  '(-n --no_prediction)'{-n,--no_prediction}'[features only]' \
  '(-q --quiet)'{-q,--quiet}'[no progress]' \
  '(-v --version)'{-v,--version}'[print the version]' \
  '--percentiles=[percentiles to pool]:list:(1,5,50)' \
  '--ndjson=[a line of JSON for each frame]:file:_files' \
  '*--map=[a map of local scores]:file (.npy, .csv, .png, .y4m):_files' \
  '--map-of=[score shown by the maps that follow]:score:' \
  '--map-cell=[cell size in pixels]:pixels:(16 32 64 128)' \
  '*--region=[also score this part]:name=x,y,w,h:' \
  '--regions=[file of moving regions]:file:_files' \
  '--precision=[digits of scores]:value:(6 9 17 max full legacy)' \
  '--backend=[where to compute]:value:_vmaf_backends' \
  '--cuda[compute with CUDA]' \
  '--no_cuda[never use CUDA]' \
  '--no_sycl[never use SYCL]' \
  '--no_hip[never use HIP]' \
  '--no_metal[never use Metal]' \
  '--sycl_device=[SYCL device]:value: ' \
  '--hip_device=[HIP device]:value: ' \
  '--metal_device=[Metal device]:value: ' \
  '--list=[score the pairs in a file]:file:_files' \
  '--jobs=[pairs scored at a time]:value:(auto 1 2 4 8 16)' \
  '--strict_length[fail if the clips differ in length]' \
  '--align=[detect a constant offset]:value:(auto none check)' \
  '--pair=[how frames of video files are paired]:value:(time index)' \
  '--missing=[how to handle missing frames]:value:(skip repeat)' \
  '--scaler=[how video files are scaled]:value:(bicubic bilinear lanczos spline area nearest)' \
  '--range=[how to handle different colour ranges]:value:(convert ignore)' \
  '--crop=[remove black bars]:value:(none auto)' \
  '--deinterlace[deinterlace video files]' \
  '--film_grain=[keep or drop film grain]:value:(keep drop)' \
  '--hwaccel=[decoder for video files]:value:(auto none cuda vaapi)' \
  '--mismatch=[what to do if the clips do not match]:value:(refuse warn)' \
  '--capabilities[print what this build can do]' \
  '--list_models[list the built-in models]' \
  '--serve[answer scoring requests on standard input]' \
  '--list_features[list the features]' \
  '--help[print the usage]'
